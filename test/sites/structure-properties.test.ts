import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { removeFromGroup, removeGroup } from '../../src/domain/sites/structure/groups.js'
import { addGroup, addToGroup, MAX_GROUPS } from '../../src/domain/sites/structure/add-groups.js'
import { withKeys } from '../../src/domain/sites/structure/keys.js'
import { moveItem } from '../../src/domain/sites/structure/move.js'
import { addSection, removeSection } from '../../src/domain/sites/structure/sections.js'
import { addSiteSpace, MAX_SITE_SPACES, removeSiteSpace } from '../../src/domain/sites/structure/site-spaces.js'
import { ServiceError } from '../../src/kernel/errors.js'
import { emptyStructure, type SiteItemType, type SiteStructure } from '../../src/model/index.js'
import { runs } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { faultsOf, shapeOf, StructureModel } from './structure-model.js'

const test = suite('sites: structure')
const titles = ['Guides', 'guides', 'API', '', '¡!', 'Guides 1', 'x'.repeat(120)]

const step = fc.record({
  op: fc.constantFrom(
    'section',
    'siteSpace',
    'siteSpace',
    'group',
    'move',
    'move',
    'move',
    'dropSection',
    'dropSiteSpace',
    'dropGroup',
    'join',
    'leave',
  ),
  kind: fc.constantFrom<SiteItemType>('site-section', 'site-space', 'site-section-group'),
  title: fc.constantFrom(...titles),
  a: fc.nat(99),
  b: fc.nat(99),
  c: fc.nat(99),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Applies one step to both. Returns the structure after it. */
function apply(
  structure: SiteStructure,
  model: StructureModel,
  { op, kind, title, a, b, c }: Step,
  n: number,
): SiteStructure {
  const pick = (list: readonly string[], i: number): string | undefined => list[i % Math.max(1, list.length)]
  const pointer = (id: string | undefined) =>
    id === undefined ? {} : { type: model.kinds.get(id) as SiteItemType, id }
  if (op === 'section') {
    model.addSection(`s${n}`, `v${n}`, `r${n}`)
    return addSection(structure, { id: `s${n}`, title }, { id: `v${n}`, space: `p${n}`, title }, { id: `r${n}`, title })
  }
  if (op === 'siteSpace') {
    const section = a % 2 ? pick(model.sections(), b) : undefined
    model.addSiteSpace(`v${n}`, section)
    return addSiteSpace(structure, { id: `v${n}`, space: `p${n}`, title }, section)
  }
  if (op === 'group') {
    const sections = model.sections().filter((_, i) => (a >> (i % 6)) & 1)
    model.addGroup(`g${n}`, [...sections])
    return addGroup(structure, { id: `g${n}`, title }, sections)
  }
  const id = pick(
    model.all(
      op === 'move'
        ? kind
        : op === 'dropSection'
          ? 'site-section'
          : op === 'dropSiteSpace'
            ? 'site-space'
            : 'site-section-group',
    ),
    a,
  )
  if (id === undefined) return structure
  const section = pick(model.sections(), b)
  if (op === 'move') {
    const near = model.list(model.place(id) as string)
    const [before, after] = [
      c % 3 === 0 ? undefined : pick([...near, ...model.all(kind)], b),
      c % 2 === 0 ? undefined : pick(near, c),
    ]
    const expected = model.move(id, before, after)
    const position = {
      ...(before === undefined ? {} : { before: pointer(before) }),
      ...(after === undefined ? {} : { after: pointer(after) }),
    }
    return statusOf(() => moveItem(structure, { type: kind, id }, position as never), structure, expected)
  }
  const both = (inModel: () => void, next: SiteStructure): SiteStructure => {
    inModel()
    return next
  }
  if (op === 'dropSection') return both(() => model.removeSection(id), removeSection(structure, id))
  if (op === 'dropSiteSpace') return both(() => model.removeSiteSpace(id), removeSiteSpace(structure, id))
  if (op === 'dropGroup') return both(() => model.removeGroup(id), removeGroup(structure, id))
  if (section === undefined) return structure
  if (op === 'join') return both(() => model.addToGroup(id, section), addToGroup(structure, id, section))
  return both(() => model.removeFromGroup(id, section), removeFromGroup(structure, id, section))
}

function statusOf(work: () => SiteStructure, before: SiteStructure, expected: number): SiteStructure {
  try {
    const next = work()
    assert.is(expected, 200)
    return next
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    assert.is(error.status, expected)
    return before
  }
}

test('a site structure matches the model after any series of changes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const model = new StructureModel()
      let structure = emptyStructure
      for (const [n, one] of steps.entries()) {
        const before = JSON.stringify(structure)
        const next = withKeys(apply(structure, model, one, n))
        assert.is(JSON.stringify(structure), before, 'a structure is never changed in place')
        structure = next
        assert.equal(shapeOf(structure), model.shape())
        assert.equal(faultsOf(structure), [])
      }
    }),
    { numRuns: runs(100, 1_500) },
  )
})

test('a move changes only the key of the moved item', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 12 }), fc.nat(99), fc.nat(99), (size, from, to) => {
      let structure = emptyStructure
      for (let n = 0; n < size; n++)
        structure = withKeys(addSiteSpace(structure, { id: `v${n}`, space: `p${n}`, title: 'x' }, undefined))
      const id = `v${from % size}`
      const before = `v${to % size}`
      if (id === before || (from % size) + 1 === to % size) return
      const moved = withKeys(
        moveItem(structure, { type: 'site-space', id }, { before: { type: 'site-space', id: before } }),
      )
      const keys = (of: SiteStructure) => new Map(of.siteSpaces.map((entry) => [entry.id, entry.order]))
      const changed = [...keys(moved)].filter(([one, key]) => keys(structure).get(one) !== key)
      assert.ok(changed.length === 1, JSON.stringify(changed))
    }),
  )
})

test('a site that reaches its item limit reports that', () => {
  let structure = emptyStructure
  const add = (n: number) => addSiteSpace(structure, { id: `v${n}`, space: `p${n}`, title: 'Same' }, undefined)
  for (let n = 0; n < MAX_SITE_SPACES; n++) structure = add(n)
  assert.is(new Set(structure.siteSpaces.map(({ path }) => path)).size, MAX_SITE_SPACES)
  assert.throws(
    () => add(MAX_SITE_SPACES),
    (error: ServiceError) => error.status === 409,
  )
  for (let n = 0; n < MAX_GROUPS; n++) structure = addGroup(structure, { id: `g${n}`, title: 'Same' }, [])
  assert.throws(
    () => addGroup(structure, { id: 'g', title: 'Same' }, []),
    (error: ServiceError) => error.status === 409,
  )
})

test.run()
