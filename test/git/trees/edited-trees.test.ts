import { asOid } from '../../../src/kernel/ids.js'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { encodeObject } from '../../../src/git/objects/hash.js'
import {
  encodeTree,
  inGitsOrder,
  makeNode,
  type Node,
  parseTree,
  type Tree,
  treeOf,
} from '../../../src/git/objects/tree-codec.js'
import { diffTrees } from '../../../src/git/trees/diff.js'
import { editTree } from '../../../src/git/trees/edit.js'
import { planChanges } from '../../../src/git/trees/plan.js'
import { suite } from '../../support/suite.js'

const test = suite('edited trees')

const NAMES = ['a', 'b.md', 'ä', 'zz', 'page-1.md', 'page-10.md', 'page-2.md', '日本', 'x y', 'README.md']
const oid = fc.integer({ min: 1, max: 40 }).map((n) => n.toString(16).padStart(40, '0'))
/** Modes that Git and other tools have written. */
const rawMode = fc.constantFrom('100644', '100664', '100755', '120000')
/** A folder of a real repository: the names may not be UTF-8, and the modes may be old. */
const entries = fc.uniqueArray(fc.record({ name: fc.constantFrom(...NAMES, 'bytes'), rawMode, oid }), {
  selector: ({ name }) => name,
  minLength: 1,
})
const change = fc.record({
  path: fc.constantFrom(...NAMES, ...NAMES.map((name) => `sub/${name}`), 'sub/deep/a'),
  what: fc.oneof(
    fc.constant(null),
    fc.record({ text: fc.string(), mode: fc.constantFrom('100644' as const, '100755' as const) }),
  ),
})

const RAW = Buffer.from([0x66, 0xff, 0xfe])
const written = (found: readonly { name: string; rawMode: string; oid: string }[]): Buffer => {
  const nodes = found.map(
    (entry): Node => ({ ...entry, mode: '100644', ...(entry.name === 'bytes' ? { rawName: RAW } : {}) }),
  )
  return encodeTree(inGitsOrder(nodes))
}

test('an edited tree has the same bytes as a new one, and a diff finds the changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      entries,
      fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
      async (first, rounds) => {
        const content = written(first)
        const start = encodeObject('tree', content)
        const trees = new Map<string, Tree>([[start.oid, parseTree(content)]])
        const read = async (id: string): Promise<Tree> => trees.get(id) ?? treeOf([])
        let head = start.oid
        for (const round of rounds) {
          const changes = round.map(({ path, what }) =>
            what === null
              ? { path, delete: true as const }
              : { path, content: Buffer.from(what.text), mode: what.mode },
          )
          const edited = await editTree(head, planChanges(changes), {
            tree: read,
            maxFolderEntries: 1_000,
          }).catch(() => null)
          // A file in place of a required folder, or a name that differs only by case.
          if (edited === null) continue
          for (const [id, tree] of edited.trees) {
            trees.set(id, tree)
            const whole = encodeTree(tree.nodes)
            assert.equal(tree.content, whole, 'the bytes that are kept')
            assert.is(encodeObject('tree', whole).oid, id)
            assert.equal(inGitsOrder(tree.nodes), [...tree.nodes])
            assert.equal(
              parseTree(whole).nodes.map(({ name, oid }) => ({ name, oid })),
              tree.nodes.map(({ name, oid }) => ({ name, oid })),
            )
          }
          const seen = await diffTrees(head, edited.oid, read)
          // The same trees, read again: no entry is the same object as one of the previous tree.
          const anew = async (id: string): Promise<Tree> => parseTree(encodeTree((await read(id)).nodes))
          assert.equal(seen, await diffTrees(head, edited.oid, anew))
          head = asOid(edited.oid)
        }
      },
    ),
  )
})

test('the bytes of a tree are edited in place only for entries with the same name and mode', () => {
  const before = parseTree(written([{ name: 'a', rawMode: '100664', oid: '1'.repeat(40) }]))
  for (const node of [
    makeNode('a', '100644', '2'.repeat(40)),
    makeNode('b', '100644', '1'.repeat(40)),
    { ...(before.nodes[0] as Node), oid: '3'.repeat(40) },
  ])
    assert.equal(encodeTree([node], before), encodeTree([node]))
})

test.run()
