//! `ColorNodeGroup`: nodes of one colour lie on one chain, so they never run at the same time.

use super::network::Network;

/// The colour of every node and how many colours there are. `wanted` is the number asked for.
pub fn colors(network: &Network, wanted: u64) -> (Vec<u32>, u32) {
    let mut importance: Vec<u64> = network.nodes.iter().map(|node| u64::from(!node.variable)).collect();
    let mut colors: Vec<Option<u32>> = vec![None; network.nodes.len()];
    let mut color = 0;
    while u64::from(color) + 1 < wanted {
        let Some(path) = best_path(network, &importance) else { break };
        for node in path {
            if importance[node] > 0 {
                colors[node] = Some(color);
                importance[node] = 0;
            }
        }
        color += 1;
    }
    (colors.into_iter().map(|own| own.unwrap_or(color)).collect(), color + 1)
}

/// `FindBestPath`: the chain of largest total importance; none if nothing important is left. Among
/// equal totals the start with the higher number stays, among equal continuations the reader with
/// the higher number.
fn best_path(network: &Network, importance: &[u64]) -> Option<Vec<usize>> {
    let count = network.nodes.len();
    let mut best = vec![0u64; count];
    let mut next: Vec<Option<usize>> = vec![None; count];
    let (mut start, mut total) = (None, 0);
    for (index, node) in network.nodes.iter().enumerate().rev() {
        best[index] += importance[index];
        if best[index] > total {
            (start, total) = (Some(index), best[index]);
        }
        // A producer that does not come before its reader cannot be on a chain with it.
        for producer in node.reads.iter().filter_map(|read| read.producer).map(|id| id as usize) {
            if producer < index && best[index] > best[producer] {
                best[producer] = best[index];
                next[producer] = Some(index);
            }
        }
    }
    Some(std::iter::successors(Some(start?), |&index| next[index]).collect())
}

#[cfg(test)]
mod tests {
    use super::super::network::{Node, Read};
    use super::*;

    /// Node `i` reads from the nodes listed.
    fn network(reads: &[&[u32]]) -> Network {
        let read = |&producer: &u32| Read { entry: None, producer: Some(producer), ignored: false };
        let node = |reads: &&[u32]| Node { reads: reads.iter().map(read).collect(), ..Node::default() };
        Network { nodes: reads.iter().map(node).collect(), ..Network::default() }
    }

    #[test]
    fn the_longest_chain_comes_first_and_the_rest_shares_the_last_colour() {
        // 0 → 1 → 2 → 6, 0 → 3 → 6, 0 → 4 → 5 → 6 with ties for the higher number.
        let diamond = network(&[&[], &[0], &[1], &[0], &[0], &[4], &[2, 3, 5]]);
        assert_eq!(colors(&diamond, 2), (vec![0, 1, 1, 1, 0, 0, 0], 2));
        assert_eq!(colors(&diamond, 3), (vec![0, 1, 1, 2, 0, 0, 0], 3));
        // A fourth chain takes node 3; no node is left for the last colour, which is counted all
        // the same.
        assert_eq!(colors(&diamond, 9), (vec![0, 1, 1, 2, 0, 0, 0], 4));
    }
}
