import * as assert from 'uvu/assert'
import { emptyTree, makeNode, treeOf } from '../../../src/git/objects/tree-codec.js'
import { objectsBeyond } from '../../../src/git/trees/new-objects.js'
import { suite } from '../../support/suite.js'

const test = suite('objects of a new tree')

const oid = (n: number): string => n.toString(16).padStart(40, '0')

/** Returns a function that reads trees: a root with folders, each of which has files with the numbers that follow its own. */
function reader(
  folders: number,
  files: number,
): { root: string; readTree: (id: string) => Promise<ReturnType<typeof treeOf>> } {
  const numberOf = (folder: number): number => 1 + folder * (files + 1)
  const trees = new Map([
    [oid(0), treeOf(Array.from({ length: folders }, (_, at) => makeNode(`folder-${at}`, '040000', oid(numberOf(at)))))],
  ])
  for (let at = 0; at < folders; at++) {
    const first = numberOf(at)
    const nodes = Array.from({ length: files }, (_, file) => makeNode(`${file}.md`, '100644', oid(first + 1 + file)))
    trees.set(oid(first), treeOf(nodes))
  }
  return { root: oid(0), readTree: async (id) => trees.get(id) ?? emptyTree }
}

test('a tree that shares folders with another has only the other objects', async () => {
  const { readTree } = reader(3, 2)
  const trees = new Map([
    ['old', treeOf([makeNode('a', '040000', oid(1)), makeNode('b', '040000', oid(4))])],
    ['new', treeOf([makeNode('a', '040000', oid(1)), makeNode('b', '040000', oid(7))])],
  ])
  const read = async (id: string) => trees.get(id) ?? readTree(id)
  assert.equal([...(await objectsBeyond('new', ['old'], read))], ['new', oid(7), oid(8), oid(9)])
})

test('other work runs while the objects of a large cached tree are listed', async () => {
  const { root, readTree } = reader(200, 1_000)
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  assert.is((await objectsBeyond(root, [], readTree)).size, 1 + 200 * 1_001)
  clearImmediate(timer)
  assert.ok(turns > 2, `${turns} turns`)
})

test.run()
