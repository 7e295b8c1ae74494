// Drafts, groups in groups, and external links.
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { removeFromGroup, removeGroup } from '../../src/domain/sites/structure/groups.js'
import { addGroup, addToGroup } from '../../src/domain/sites/structure/add-groups.js'
import { withKeys } from '../../src/domain/sites/structure/keys.js'
import { addLink, removeLink, updateLink } from '../../src/domain/sites/structure/links.js'
import { moveItem } from '../../src/domain/sites/structure/move.js'
import { addSection } from '../../src/domain/sites/structure/sections.js'
import { ServiceError } from '../../src/kernel/errors.js'
import { emptyStructure, itemsOf, type SiteStructure } from '../../src/model/index.js'
import { startService } from '../support/service.js'
import { runs } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { faults } from './support.js'
import { type Json, newSite, outlineOf, type SiteClient } from './http.js'
import { faultsOf } from './structure-model.js'

const [test, here] = await suiteWith('sites: nesting', startService)
const get = async (path: string): Promise<Json> => (await here.admin.call('get', path).expect(200)).body
const call = (method: 'post' | 'patch' | 'delete', path: string, body?: object, status = 200) =>
  here.admin.call(method, path, body).expect(status)

const step = fc.record({
  op: fc.constantFrom(
    'section',
    'group',
    'group',
    'link',
    'move',
    'move',
    'move',
    'join',
    'leave',
    'dropGroup',
    'dropLink',
    'relink',
  ),
  a: fc.nat(99),
  b: fc.nat(99),
  top: fc.boolean(),
})

test('random nesting and moves lose and duplicate nothing, and respect the depth limit', () =>
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      let structure: SiteStructure = emptyStructure
      const all = (type: string): string[] =>
        itemsOf(structure).flatMap(({ item }) => (item.type === type ? [item.id] : []))
      const pick = (list: readonly string[], i: number): string => list[i % Math.max(1, list.length)] ?? 'nothing'
      for (const [n, { op, a, b, top }] of steps.entries()) {
        const [group, other, link] = [
          pick(all('site-section-group'), a),
          pick(all('site-section-group'), b),
          pick(all('site-external-link'), a),
        ]
        const placed = itemsOf(structure).map(({ item }) => item)
        const item = placed[a % Math.max(1, placed.length)]
        const work: Record<typeof op, () => SiteStructure> = {
          section: () =>
            addSection(
              structure,
              { id: `s${n}`, title: 'x' },
              { id: `v${n}`, space: `p${n}`, title: 'x' },
              { id: `r${n}`, title: 'x' },
            ),
          group: () =>
            addGroup(structure, { id: `g${n}`, title: 'x' }, all('site-section').slice(0, b % 3), top ? null : group),
          link: () => addLink(structure, { id: `l${n}`, title: 'x', target: 'https://x.example' }, group),
          move: () => (item ? moveItem(structure, item, {}, top ? null : other) : structure),
          join: () => addToGroup(structure, group, pick(all('site-section'), b)),
          leave: () => removeFromGroup(structure, group, pick(all('site-section'), b)),
          dropGroup: () => removeGroup(structure, group),
          dropLink: () => removeLink(structure, link),
          relink: () => updateLink(structure, link, { sectionGroup: other }),
        }
        const sections = all('site-section').sort().join()
        try {
          structure = withKeys(work[op]())
        } catch (error) {
          if (!(error instanceof ServiceError) || error.status >= 500) throw error
          continue
        }
        assert.equal(faultsOf(structure), [])
        if (op !== 'section') assert.is(all('site-section').sort().join(), sections)
      }
    }),
    { numRuns: runs(66, 1_000) },
  ))

const outline = (items: Json[]): string =>
  items
    .map((one) =>
      one.object === 'site-section-group'
        ? `${one.title}(${outline(one.children)})`
        : one.object === 'site-external-link'
          ? `→${one.title}`
          : one.title,
    )
    .join(' ')
const outlineAt = async (site: SiteClient): Promise<string> => outline((await get(`${site.base}/structure`)).structure)

test('groups can be nested and moved, but not in cycles or beyond the depth limit', async () => {
  const site = await newSite(here, { title: 'Nested' })
  const [a, b] = [await site.section('Aa'), await site.section('Bb')]
  const group = async (title: string, sectionGroup?: string, status = 201): Promise<Json> =>
    (await call('post', `${site.base}/section-groups`, { title, ...(sectionGroup ? { sectionGroup } : {}) }, status))
      .body
  const [g, h] = [await group('G'), await group('H')]
  const i = await group('I', g.id)
  assert.is(i.sectionGroup, g.id)
  const sort = (type: string, id: string, more: object, status = 200) =>
    call('patch', `${site.base}/structure/sort`, { item: { type, id }, ...more }, status)
  await sort('site-section', a.id, { into: i.id })
  await sort('site-section', b.id, { into: i.id, position: { before: { type: 'site-section', id: a.id } } })
  assert.is(await outlineAt(site), 'G(I(Bb Aa)) H()')
  const shown = (await get(`${site.base}/section-groups/${g.id}`)) as Json
  assert.equal([shown.sections, shown.children.map((one: Json) => one.title), shown.draft], [[], ['I'], false])
  assert.equal(
    (await get(`${site.base}/section-groups`)).items.map((one: Json) => one.title),
    ['G', 'I', 'H'],
  )
  assert.equal(
    (await get(`${site.base}/sections`)).items.map((one: Json) => [one.title, one.sectionGroup]),
    [
      ['Bb', i.id],
      ['Aa', i.id],
    ],
  )
  for (const into of [g.id, i.id])
    assert.ok(faults((await sort('site-section-group', g.id, { into }, 400)).body)['/into'])
  assert.ok(faults((await sort('site-section-group', g.id, { into: 'nothing' }, 400)).body)['/into'])
  assert.ok(faults(await group('X', 'nothing', 400))['/sectionGroup'])
  await sort('site-section-group', g.id, { into: null }, 409).catch(() => {})
  await call('post', `${site.base}/section-groups/${h.id}/move`, {
    into: i.id,
    position: { after: { type: 'site-section', id: b.id } },
  })
  assert.is(await outlineAt(site), 'G(I(Bb H() Aa))')
  const four = await group('Four', h.id)
  const five = await group('Five', four.id)
  await group('Six', five.id, 409)
  const tower = await group('Tower')
  await group('Floor', tower.id)
  await sort('site-section-group', tower.id, { into: four.id }, 409)
  await call('post', `${site.base}/sections/${a.id}/move`, { into: null })
  assert.is(await outlineAt(site), 'G(I(Bb H(Four(Five())))) Tower(Floor()) Aa')
  await call('delete', `${site.base}/section-groups/${i.id}`, undefined, 204)
  assert.is(await outlineAt(site), 'G(Bb H(Four(Five()))) Tower(Floor()) Aa')
  await call('delete', `${site.base}/section-groups/${g.id}`, undefined, 204)
  assert.is(await outlineAt(site), 'Bb H(Four(Five())) Tower(Floor()) Aa')
})

test('external links move like other children of groups and have only safe targets', async () => {
  const site = await newSite(here, { title: 'Links' })
  await site.section('Aa')
  const [g, h] = [await site.group('G'), await site.group('H')]
  const links = `${site.base}/external-links`
  const add = async (title: string, more: object = {}, status = 201): Promise<Json> =>
    (await call('post', links, { title, target: 'https://example.org/x', sectionGroup: g.id, ...more }, status)).body
  const [one, two] = [await add('One', { icon: 'gear' }), await add('Two')]
  assert.equal(
    [one.object, one.title, one.target, one.icon, one.sectionGroup],
    ['site-external-link', 'One', 'https://example.org/x', 'gear', g.id],
  )
  for (const target of ['javascript:alert(1)', '//evil.example', 'data:text/html,x', 'https://a@b.example'])
    assert.ok(faults(await add('X', { target }, 400))['/target'])
  assert.ok(faults(await add('X', { sectionGroup: 'nothing' }, 400))['/sectionGroup'])
  await call('patch', `${site.base}/structure/sort`, {
    item: { type: 'site-external-link', id: two.id },
    position: { before: { type: 'site-external-link', id: one.id } },
  })
  const bb = await site.section('Bb')
  await call('post', `${site.base}/section-groups/${g.id}/sections`, { sectionId: bb.id })
  assert.is(await outlineAt(site), 'Aa G(→Two →One Bb) H()')
  assert.equal(
    (await get(links)).items.map(({ title }: Json) => title),
    ['Two', 'One'],
  )
  const changed = (
    await call('patch', `${links}/${one.id}`, { title: 'Eins', icon: null, target: '/guides', sectionGroup: h.id })
  ).body
  assert.equal(
    [changed.title, changed.icon, changed.target, changed.sectionGroup],
    ['Eins', undefined, '/guides', h.id],
  )
  assert.ok(
    faults(
      (
        await call(
          'patch',
          `${site.base}/structure/sort`,
          { item: { type: 'site-external-link', id: two.id }, into: null },
          400,
        )
      ).body,
    )['/into'],
  )
  await call('delete', `${links}/${two.id}`, undefined, 204)
  await call('delete', `${links}/${two.id}`, undefined, 204)
  assert.is(await outlineAt(site), 'Aa G(Bb) H(→Eins)')
  await call('delete', `${site.base}/section-groups/${h.id}`, undefined, 204)
  assert.is(await outlineAt(site), 'Aa G(Bb)')
  await here.restart()
  assert.is(await outlineAt(site), 'Aa G(Bb)')
})

test('a draft is visible only to editors, without an address, and is not the default', async () => {
  const site = await newSite(here, { title: 'Drafts' })
  const [a, b, c] = [await site.section('Aa'), await site.section('Bb'), await site.section('Cc')]
  const variant = await site.siteSpace('A2', a.id)
  const [outer, inner] = [await site.group('Outer'), await site.group('Inner', [c.id])]
  await call('post', `${site.base}/section-groups/${inner.id}/move`, { into: outer.id })
  await call('post', `${site.base}/publish`)
  const published = async (): Promise<string> => {
    const { structure } = (await get(`${site.base}/published`)) as Json
    const flat = (items: Json[]): Json[] =>
      items.flatMap((one) => (one.object === 'site-section-group' ? flat(one.children) : [one]))
    return outlineOf({ structure: flat(structure.structure) })
  }
  assert.is(await published(), 'Aa*[Aa* A2] Bb[Bb*] Cc[Cc*]')
  assert.is(
    (await call('patch', `${site.base}/site-spaces/${a.siteSpaces[0].id}`, { draft: true })).body.urls.published,
    undefined,
  )
  assert.is(await published(), 'Aa*[A2*] Bb[Bb*] Cc[Cc*]')
  assert.is((await get(`/v1/spaces/${a.siteSpaces[0].space.id}`)).urls.published, undefined)
  const section = (await call('patch', `${site.base}/sections/${a.id}`, { draft: true })).body
  assert.equal(
    [section.draft, section.default, section.urls.published, section.siteSpaces[1].urls.published],
    [true, false, undefined, undefined],
  )
  assert.is(await published(), 'Bb*[Bb*] Cc[Cc*]')
  await here.admin.call('get', `${site.base}/published/site-spaces/${variant.id}/pages`).expect(404)
  assert.is((await call('patch', `${site.base}/section-groups/${outer.id}`, { draft: true })).body.draft, true)
  assert.is(await published(), 'Bb*[Bb*]')
  assert.is((await get(`/v1/spaces/${c.siteSpaces[0].space.id}`)).urls.published, undefined)
  assert.is(await outlineAt(site), 'Aa Bb Outer(Inner(Cc))')
  await call('patch', `${site.base}/section-groups/${outer.id}`, { draft: false })
  await call('patch', `${site.base}/sections/${a.id}`, { draft: false })
  await call('patch', `${site.base}/site-spaces/${a.siteSpaces[0].id}`, { draft: false })
  assert.is(await published(), 'Aa*[Aa* A2] Bb[Bb*] Cc[Cc*]')
  const born = (await call('post', `${site.base}/section-groups`, { title: 'New', draft: true, sections: [b.id] }, 201))
    .body
  assert.equal([born.draft, await published()], [true, 'Aa*[Aa* A2] Cc[Cc*]'])
})

test.run()
