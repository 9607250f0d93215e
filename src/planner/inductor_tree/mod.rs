//! stub
use super::*;
pub struct InductorTree;
impl Planner for InductorTree {
    fn info(&self) -> &'static Info {
        static I: Info = Info {
            id: "inductor-tree",
            system: "Inductor",
            name: "AllocationTree",
            source: Source { repository: "", version: "", file: "" },
            needs: Needs::Graph,
            options: &[],
            complexity: "",
            align: 64,
            sweeps: false,
            ranked: true,
            example: "teaching",
        };
        &I
    }
    fn plan(&self, input: Input, o: &Options, p: &mut dyn Probe) -> Result<Plan, PlanError> {
        naive::Naive.plan(input, o, p)
    }
}
