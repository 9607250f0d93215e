//! stub
use super::*;
macro_rules! fit {
    ($n:ident, $id:literal) => {
        pub struct $n;
        impl Planner for $n {
            fn info(&self) -> &'static Info {
                static I: Info = Info {
                    id: $id,
                    system: "free list",
                    name: $id,
                    source: Source { repository: "", version: "", file: "" },
                    needs: Needs::Intervals,
                    options: &[],
                    complexity: "",
                    align: 1,
                    sweeps: true,
                    ranked: true,
                    example: "diamond",
                };
                &I
            }
            fn plan(&self, input: Input, o: &Options, p: &mut dyn Probe) -> Result<Plan, PlanError> {
                naive::Naive.plan(input, o, p)
            }
        }
    };
}
fit!(FirstFit, "first-fit");
fit!(BestFit, "best-fit");
fit!(WorstFit, "worst-fit");
