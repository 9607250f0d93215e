//! Effects, memos and states in little code. Those of Yew bring code of their own with each call or
//! type; these share it, because what they depend on and what they hold is boxed.

use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::Deref;
use std::rc::Rc;

use yew::functional::{Hook, HookContext, TearDown};

/// What an effect or a memo depends on, or what a state holds.
trait Compared: Any {
    fn is_equal(&self, other: &dyn Any) -> bool;
}

impl<T: PartialEq + 'static> Compared for T {
    fn is_equal(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }
}

struct Boxed(Box<dyn Compared>);

impl PartialEq for Boxed {
    fn eq(&self, other: &Boxed) -> bool {
        let other: &dyn Any = &*other.0;
        self.0.is_equal(other)
    }
}

type Initial<'a> = Box<dyn FnOnce() -> Boxed + 'a>;
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
    boxed_effect(Boxed(Box::new(dependencies)), Box::new(effect))
}

fn boxed_effect(dependencies: Boxed, effect: Effect) -> impl Hook<Output = ()> {
    yew::functional::use_effect_with(dependencies, move |dependencies: &Boxed| {
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
    struct Typed<T, H>(H, PhantomData<T>);

    impl<T: 'static, H: Hook<Output = Rc<dyn Any>>> Hook for Typed<T, H> {
        type Output = Rc<T>;

        fn run(self, context: &mut HookContext) -> Rc<T> {
            self.0.run(context).downcast().expect("each call has its place, which holds what it made")
        }
    }

    let make = move |dependencies: &dyn Any| -> Rc<dyn Any> {
        Rc::new(make(dependencies.downcast_ref().expect("dependencies are boxed as they are")))
    };
    Typed(boxed_memo(Boxed(Box::new(dependencies)), Box::new(make)), PhantomData)
}

/// As [`yew::functional::use_mut_ref`].
pub fn use_mut_ref<'a, T, F>(begin: F) -> impl Hook<Output = Rc<RefCell<T>>>
where
    T: 'static,
    F: FnOnce() -> T + 'a,
{
    use_memo((), move |()| RefCell::new(begin()))
}

fn boxed_memo(dependencies: Boxed, make: Memo<'_>) -> impl Hook<Output = Rc<dyn Any>> {
    struct Unwrapped<H>(H);

    impl<H: Hook<Output = Rc<Rc<dyn Any>>>> Hook for Unwrapped<H> {
        type Output = Rc<dyn Any>;

        fn run(self, context: &mut HookContext) -> Rc<dyn Any> {
            Rc::clone(&self.0.run(context))
        }
    }

    Unwrapped(yew::functional::use_memo(dependencies, move |dependencies: &Boxed| make(&*dependencies.0)))
}

/// As [`yew::functional::UseStateHandle`].
pub struct UseStateHandle<T>(yew::functional::UseStateHandle<Boxed>, PhantomData<T>);

impl<T: PartialEq + 'static> UseStateHandle<T> {
    /// Sets the state and draws again if it is another one.
    pub fn set(&self, value: T) {
        self.0.set(Boxed(Box::new(value)));
    }

    /// Returns what sets the state and nothing else.
    pub fn setter(&self) -> UseStateSetter<T> {
        UseStateSetter(self.0.setter(), PhantomData)
    }
}

impl<T: 'static> Deref for UseStateHandle<T> {
    type Target = T;

    fn deref(&self) -> &T {
        let value: &dyn Any = &*self.0.0;
        value.downcast_ref().expect("a state holds what its handle was made for")
    }
}

impl<T> Clone for UseStateHandle<T> {
    fn clone(&self) -> Self {
        UseStateHandle(self.0.clone(), PhantomData)
    }
}

impl<T> PartialEq for UseStateHandle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// As [`yew::functional::UseStateSetter`].
pub struct UseStateSetter<T>(yew::functional::UseStateSetter<Boxed>, PhantomData<T>);

impl<T: PartialEq + 'static> UseStateSetter<T> {
    /// Sets the state and draws again if it is another one.
    pub fn set(&self, value: T) {
        self.0.set(Boxed(Box::new(value)));
    }
}

impl<T> Clone for UseStateSetter<T> {
    fn clone(&self) -> Self {
        UseStateSetter(self.0.clone(), PhantomData)
    }
}

impl<T> PartialEq for UseStateSetter<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// As [`yew::functional::use_state_eq`].
pub fn use_state_eq<'a, T, F>(begin: F) -> impl Hook<Output = UseStateHandle<T>>
where
    T: PartialEq + 'static,
    F: FnOnce() -> T + 'a,
{
    struct Typed<T, H>(H, PhantomData<T>);

    impl<T: 'static, H: Hook<Output = yew::functional::UseStateHandle<Boxed>>> Hook for Typed<T, H> {
        type Output = UseStateHandle<T>;

        fn run(self, context: &mut HookContext) -> UseStateHandle<T> {
            UseStateHandle(self.0.run(context), PhantomData)
        }
    }

    Typed(boxed_state(Box::new(|| Boxed(Box::new(begin())))), PhantomData)
}

fn boxed_state(begin: Initial<'_>) -> impl Hook<Output = yew::functional::UseStateHandle<Boxed>> {
    yew::functional::use_state_eq(begin)
}
