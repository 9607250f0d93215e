//! Effects and memos in little code. Those of Yew bring code of their own with each call; these share it, because what an effect
//! depends on and what a memo holds are boxed.

use std::any::Any;
use std::rc::Rc;

use yew::functional::{Hook, HookContext, TearDown};

/// What an effect or a memo depends on.
trait Depended: Any {
    fn is_equal(&self, other: &dyn Any) -> bool;
}

impl<T: PartialEq + 'static> Depended for T {
    fn is_equal(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }
}

struct Dependencies(Box<dyn Depended>);

impl PartialEq for Dependencies {
    fn eq(&self, other: &Dependencies) -> bool {
        let other: &dyn Any = &*other.0;
        self.0.is_equal(other)
    }
}

type Effect = Box<dyn FnOnce(&dyn Any) -> Option<Box<dyn FnOnce()>>>;
type Memo<'a> = Box<dyn FnOnce(&dyn Any) -> Rc<dyn Any> + 'a>;

/// As [`yew::functional::use_effect_with`].
pub fn use_effect_with<T, F, D>(dependencies: T, effect: F) -> impl Hook<Output = ()>
where
    T: PartialEq + 'static,
    F: FnOnce(&T) -> D + 'static,
    D: TearDown,
{
    let effect = move |dependencies: &dyn Any| -> Option<Box<dyn FnOnce()>> {
        let end = effect(dependencies.downcast_ref()?);
        Some(Box::new(move || end.tear_down()))
    };
    boxed_effect(Dependencies(Box::new(dependencies)), Box::new(effect))
}

fn boxed_effect(dependencies: Dependencies, effect: Effect) -> impl Hook<Output = ()> {
    yew::functional::use_effect_with(dependencies, move |dependencies: &Dependencies| {
        let end = effect(&*dependencies.0);
        move || end.into_iter().for_each(|end| end())
    })
}

/// As [`yew::functional::use_memo`].
pub fn use_memo<'a, T, F, D>(dependencies: D, make: F) -> impl Hook<Output = Rc<T>>
where
    T: 'static,
    F: FnOnce(&D) -> T + 'a,
    D: PartialEq + 'static,
{
    struct Typed<T, H>(H, std::marker::PhantomData<T>);

    impl<T: 'static, H: Hook<Output = Rc<dyn Any>>> Hook for Typed<T, H> {
        type Output = Rc<T>;

        fn run(self, context: &mut HookContext) -> Rc<T> {
            self.0.run(context).downcast().expect("each call has its place, which holds what it made")
        }
    }

    let make = move |dependencies: &dyn Any| -> Rc<dyn Any> {
        Rc::new(make(dependencies.downcast_ref().expect("dependencies are boxed as they are")))
    };
    Typed(boxed_memo(Dependencies(Box::new(dependencies)), Box::new(make)), std::marker::PhantomData)
}

fn boxed_memo(dependencies: Dependencies, make: Memo<'_>) -> impl Hook<Output = Rc<dyn Any>> {
    struct Unwrapped<H>(H);

    impl<H: Hook<Output = Rc<Rc<dyn Any>>>> Hook for Unwrapped<H> {
        type Output = Rc<dyn Any>;

        fn run(self, context: &mut HookContext) -> Rc<dyn Any> {
            Rc::clone(&self.0.run(context))
        }
    }

    Unwrapped(yew::functional::use_memo(dependencies, move |dependencies: &Dependencies| make(&*dependencies.0)))
}
