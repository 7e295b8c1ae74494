// Each merge asks which mapped commits of a folder contain others. With counting, the total cost is linear in the
// length of the history.
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { MappedGraph } from '../../../src/git/monorepo/mapped-graph.js'
import { suite } from '../../support/suite.js'

const test = suite('ancestors among the mapped commits of a folder')
const pause = async (): Promise<void> => {}

/** Adds commits by number, with the numbers of their parents. */
function graphOf(history: readonly (readonly number[])[]): MappedGraph {
  const graph = new MappedGraph()
  for (const [at, parents] of history.entries()) graph.add(String(at), parents.map(String))
  return graph
}

/** Returns all ancestors of each commit, and the commit itself. */
function closure(history: readonly (readonly number[])[]): Set<number>[] {
  const all: Set<number>[] = []
  for (const [at, parents] of history.entries())
    all.push(new Set([at, ...parents.flatMap((parent) => [...(all[parent] as Set<number>)])]))
  return all
}

test('the graph returns the ancestors that a full traversal returns, for any history', async () => {
  const parents = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(4)), { minLength: 1, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(parents, async (choices) => {
      const history = choices.map(([one, other, kind], at) => {
        if (at === 0 || kind === 0) return []
        // Mostly the previous commit, as in a linear history; or any commit; or a merge of two.
        return kind < 3 ? [at - 1] : [...new Set([kind === 3 ? at - 1 : one % at, other % at])]
      })
      const graph = graphOf(history)
      const all = closure(history)
      for (const [descendant, ancestors] of all.entries())
        for (let ancestor = 0; ancestor < history.length; ancestor++)
          assert.is(
            await graph.isAncestor(String(ancestor), String(descendant), pause),
            ancestors.has(ancestor),
            `${ancestor} of ${descendant}`,
          )
    }),
    { numRuns: 60 },
  )
})

/**
 * A history with `merges` merges. Each shape returns the parents of one more merge, and the commits that it needs
 * before it.
 */
const shapes: Record<string, (merges: number) => number[][]> = {
  'branches from the first commit, all merged late': (merges) => {
    const history: number[][] = [[], ...Array.from({ length: merges }, () => [0])]
    let main = history.push([0]) - 1
    for (let branch = 1; branch <= merges; branch++) main = history.push([main, branch]) - 1
    return history
  },
  'branches from the first commit that never changed the folder': (merges) => {
    const history: number[][] = [[]]
    let main = 0
    // Such a branch was mapped to the first commit itself.
    for (let at = 0; at < merges; at++) main = history.push([history.push([main]) - 1, 0]) - 1
    return history
  },
  'a line that is merged again and again, and never takes anything in': (merges) => {
    const history: number[][] = [[]]
    let [main, dev] = [0, 0]
    for (let at = 0; at < merges; at++) {
      dev = history.push([dev]) - 1
      for (let more = 0; more < 5; more++) main = history.push([main]) - 1
      main = history.push([main, dev]) - 1
    }
    return history
  },
  'two lines that are merged into each other': (merges) => {
    const history: number[][] = [[], [0], [0]]
    let [one, other] = [1, 2]
    for (let at = 0; at < merges; at++) {
      const next = [history.push([one, other]) - 1, history.push([other, one]) - 1]
      ;[one, other] = next as [number, number]
    }
    return history
  },
  'branches that are merged as soon as they are made': (merges) => {
    const history: number[][] = [[]]
    let main = 0
    for (let at = 0; at < merges; at++) main = history.push([main, history.push([main]) - 1]) - 1
    return history
  },
}

for (const [name, shape] of Object.entries(shapes))
  test(`the number of searched commits is linear in the history: ${name}`, async () => {
    const history = shape(1000)
    const graph = new MappedGraph()
    for (const [at, parents] of history.entries()) {
      const [one, other] = parents.map(String)
      // In the order of the mapper's queries, before the merge exists.
      if (one !== undefined && other !== undefined && one !== other)
        for (const [a, b] of [[one, other] as const, [other, one] as const]) await graph.isAncestor(a, b, pause)
      graph.add(String(at), parents.map(String))
    }
    assert.ok(graph.searched <= 2 * history.length, `${graph.searched} of ${history.length}`)
  })

test.run()
