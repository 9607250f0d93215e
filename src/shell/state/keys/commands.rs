//! What keys ask for.

/// What a key asks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Command {
    /// The next frame; in Compare, of all columns.
    Next,
    /// The frame before; in Compare, of all columns.
    Previous,
    /// The placement of the next buffer; in Compare, ten frames on.
    NextBuffer,
    /// The placement of the buffer before; in Compare, ten frames back.
    PreviousBuffer,
    /// The first frame.
    First,
    /// The last frame.
    Last,
    /// Play or pause.
    Play,
    /// Run to the next event.
    NextEvent,
    /// Run to the event before.
    PreviousEvent,
    /// Set a breakpoint, or take it away.
    Break,
    /// Play slower.
    Slower,
    /// Play faster.
    Faster,
    /// Frames of all actions.
    LevelAll,
    /// Frames of decisions.
    LevelDecisions,
    /// Frames of outcomes.
    LevelOutcomes,
    /// See less of the plan, larger.
    ZoomIn,
    /// See more of the plan, smaller.
    ZoomOut,
    /// Pan towards earlier steps.
    PanLeft,
    /// Pan towards later steps.
    PanRight,
    /// Pan towards one end of the addresses.
    PanUp,
    /// Pan towards the other end of the addresses.
    PanDown,
    /// See the whole plan.
    FitAll,
    /// See one pool.
    FitPool,
    /// See the selected buffer.
    FitSelection,
    /// Select the buffer before in time.
    NeighbourLeft,
    /// Select the buffer after in time.
    NeighbourRight,
    /// Select the buffer above.
    NeighbourUp,
    /// Select the buffer below.
    NeighbourDown,
    /// Pin the facts of the selection.
    Pin,
    /// Open the menu of the selection.
    Menu,
    /// Go to the graph.
    Graph,
    /// Go to the state of the planner.
    State,
    /// Go to the buffers.
    Buffers,
    /// Go to the reason.
    Why,
    /// Show or hide the left panel.
    LeftPanel,
    /// Show or hide the right panel.
    RightPanel,
    /// Show or hide all panels.
    Panels,
    /// The next planner.
    NextPlanner,
    /// The planner before.
    PreviousPlanner,
    /// Add the planner to the comparison.
    Compare,
    /// In Compare: go to the next difference.
    NextDifference,
    /// In Compare: go to the difference before.
    PreviousDifference,
    /// Hatch the waste, or not.
    Waste,
    /// Outline the tree, or not.
    Tree,
    /// Show the overview, or not.
    Minimap,
    /// Present the plan, or end that.
    Present,
    /// Blank the screen, or end that.
    Blank,
    /// Go to the largest load.
    Fullest,
    /// Go to the next step that is as full.
    NextFullest,
    /// Show the slice at the cursor, or not.
    Slice,
    /// List the planners.
    Picker,
    /// In a lesson: the next paragraph.
    NextParagraph,
    /// In a lesson: the paragraph before.
    PreviousParagraph,
    /// In a lesson: the next exercise.
    NextExercise,
    /// Let a highlight follow the pointer, or not.
    Highlight,
    /// Ask what the planner does next, or stop that.
    Predict,
    /// While a question is open: the place above in the list.
    PlaceAbove,
    /// While a question is open: the place below in the list.
    PlaceBelow,
    /// While a question is open: compare the chosen place with what the planner does.
    CheckPlace,
    /// Copy the link.
    Link,
    /// Open a file.
    Open,
    /// Save the graph.
    Save,
    /// Choose what a picture of the plan carries.
    Picture,
    /// Print, which the browser does by itself.
    Print,
    /// Take a change of the graph back.
    Undo,
    /// Make it again.
    Redo,
    /// In a table of Edit: the cell above.
    CellAbove,
    /// In a table of Edit: the cell below.
    CellBelow,
    /// In a table of Edit: the cell before.
    CellBefore,
    /// In a table of Edit: the cell after.
    CellAfter,
    /// In a table of Edit: run the node earlier; in an order: the row comes earlier.
    RowEarlier,
    /// In a table of Edit: run the node later; in an order: the row comes later.
    RowLater,
    /// In a table of Edit: go into the row.
    EnterRow,
    /// In a table of Edit: delete the row.
    DeleteRow,
    /// On a block: the next legal place above.
    BlockAbove,
    /// On a block: the next legal place below.
    BlockBelow,
    /// On a block: up by its alignment, legal or not.
    BlockUp,
    /// On a block: down by its alignment, legal or not.
    BlockDown,
    /// On a block that is held: drop it.
    DropBlock,
    /// On a block that is held: put it back where it was.
    PutBlockBack,
    /// On a block: take it off the plan.
    TakeBlockOff,
    /// On a board: choose the next buffer.
    NextOnBoard,
    /// On a board: choose the buffer before.
    PreviousOnBoard,
    /// On a board: the chosen buffer is larger.
    LargerBuffer,
    /// On a board: the chosen buffer is smaller.
    SmallerBuffer,
    /// On a board: the chosen buffer lives a step longer.
    EndLater,
    /// On a board: the chosen buffer ends a step earlier.
    EndEarlier,
    /// On a board: the chosen buffer starts a step later.
    StartLater,
    /// On a board: the chosen buffer starts a step earlier.
    StartEarlier,
    /// On a board: add a buffer.
    AddBuffer,
    /// On a board: remove the chosen buffer.
    RemoveBuffer,
    /// The next region of the page.
    NextRegion,
    /// The region before.
    PreviousRegion,
    /// Close what is open, or clear the selection.
    Escape,
    /// Find something.
    Find,
    /// List the keys.
    Help,
}
