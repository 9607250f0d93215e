//! Callbacks in little code.

use yew::Callback;

/// What is called. `Fn` would bring a second copy of each closure, which takes it along when it is called: nobody does.
trait Called<I, O> {
    fn call(&self, input: I) -> O;
}

impl<I, O, F: Fn(I) -> O> Called<I, O> for F {
    fn call(&self, input: I) -> O {
        self(input)
    }
}

/// As `Callback::from`.
pub fn callback<I: 'static, O: 'static>(action: impl Fn(I) -> O + 'static) -> Callback<I, O> {
    boxed(Box::new(action))
}

fn boxed<I: 'static, O: 'static>(action: Box<dyn Called<I, O>>) -> Callback<I, O> {
    Callback::from(move |input| action.call(input))
}
