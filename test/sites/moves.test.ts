import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Json, newSite, type SiteClient } from './http.js'

let site: SiteClient
const ids = new Map<string, string>()
/** ID of a section or group by its title, of a site space by its title in lower case. */
const id = (title: string): string => ids.get(title) ?? title

const [test, here] = await suiteWith('sites: moves', startService)
test.before(async () => {
  site = await newSite(here)
  for (const title of ['Aa', 'Bb', 'Cc', 'Dd', 'Ee']) ids.set(title, (await site.section(title)).id)
  ids.set('G', (await site.group('G', [id('Bb'), id('Cc'), id('Dd')])).id)
  ids.set('H', (await site.group('H')).id)
  for (const title of ['a2', 'a3']) ids.set(title, (await site.siteSpace(title, id('Aa'))).id)
  for (const entry of (await here.admin.call('get', `${site.base}/site-spaces`).expect(200)).body.items as Json[])
    ids.set(entry.title.toLowerCase(), entry.id)
})

test('a new site has the expected structure', async () => {
  assert.is(await site.outline(), 'Aa*[Aa* a2 a3] G(Bb[Bb*] Cc[Cc*] Dd[Dd*]) Ee[Ee*] H()')
})

type Step = [item: string, place: { before?: string; after?: string }, status: number, outline?: string]
const kindOf = (title: string): string =>
  /^[GH]$/.test(title) ? 'site-section-group' : /^[a-z]/.test(title) ? 'site-space' : 'site-section'

test('every kind of item can be moved with its own operation', async () => {
  const keys: Record<string, string> = { 'site-section': 'siteSection', 'site-space': 'siteSpace' }
  const segment: Record<string, string> = {
    'site-section': 'sections',
    'site-space': 'site-spaces',
    'site-section-group': 'section-groups',
  }
  const steps: Step[] = [
    ['Bb', { after: 'Cc' }, 200, 'Aa*[Aa* a2 a3] G(Cc[Cc*] Bb[Bb*] Dd[Dd*]) Ee[Ee*] H()'],
    ['Bb', { before: 'Cc' }, 200, 'Aa*[Aa* a2 a3] G(Bb[Bb*] Cc[Cc*] Dd[Dd*]) Ee[Ee*] H()'],
    ['Dd', { before: 'Cc', after: 'Bb' }, 200, 'Aa*[Aa* a2 a3] G(Bb[Bb*] Dd[Dd*] Cc[Cc*]) Ee[Ee*] H()'],
    ['Dd', {}, 200, 'Aa*[Aa* a2 a3] G(Bb[Bb*] Cc[Cc*] Dd[Dd*]) Ee[Ee*] H()'],
    ['Dd', {}, 409],
    ['Dd', { after: 'Cc' }, 409],
    ['Dd', { before: 'Bb', after: 'Cc' }, 400],
    ['Dd', { before: 'Dd' }, 400],
    ['Dd', { before: 'Aa' }, 400],
    ['Dd', { after: 'nothing' }, 400],
    ['Aa', { after: 'Ee' }, 200, 'G(Bb[Bb*] Cc[Cc*] Dd[Dd*]) Ee[Ee*] Aa*[Aa* a2 a3] H()'],
    ['Aa', { before: 'Bb' }, 400],
    ['G', { after: 'Aa' }, 200, 'Ee[Ee*] Aa*[Aa* a2 a3] G(Bb[Bb*] Cc[Cc*] Dd[Dd*]) H()'],
    ['H', { before: 'G' }, 200, 'Ee[Ee*] Aa*[Aa* a2 a3] H() G(Bb[Bb*] Cc[Cc*] Dd[Dd*])'],
    ['H', {}, 200, 'Ee[Ee*] Aa*[Aa* a2 a3] G(Bb[Bb*] Cc[Cc*] Dd[Dd*]) H()'],
    ['H', { before: 'Bb' }, 400],
    ['H', { after: 'G' }, 409],
    ['a3', { before: 'aa' }, 200, 'Ee[Ee*] Aa*[a3 Aa* a2] G(Bb[Bb*] Cc[Cc*] Dd[Dd*]) H()'],
    ['a3', { after: 'a2' }, 200, 'Ee[Ee*] Aa*[Aa* a2 a3] G(Bb[Bb*] Cc[Cc*] Dd[Dd*]) H()'],
    ['a3', { before: 'bb' }, 400],
    ['aa', {}, 200, 'Ee[Ee*] Aa*[a2 a3 Aa*] G(Bb[Bb*] Cc[Cc*] Dd[Dd*]) H()'],
    ['aa', {}, 409],
    ['nothing', {}, 404],
  ]
  for (const [item, place, status, outline] of steps) {
    const before = await site.outline()
    const kind = kindOf(item)
    const pointer = (title: string) => ({
      type: kind === 'site-section-group' ? kindOf(title) : kind,
      [keys[kind] ?? 'id']: id(title),
    })
    const position = Object.fromEntries(Object.entries(place).map(([name, title]) => [name, pointer(title)]))
    const response = await here.admin
      .call('post', `${site.base}/${segment[kind]}/${id(item)}/move`, { position })
      .expect(status)
    assert.is(await site.outline(), outline ?? before, `${item} ${JSON.stringify(place)}`)
    if (status === 200) assert.is(response.body.id, id(item))
  }
  await here.admin.call('post', `${site.base}/sections/${id('Ee')}/move`).expect(200)
  assert.is(await site.outline(), 'Aa*[a2 a3 Aa*] G(Bb[Bb*] Cc[Cc*] Dd[Dd*]) H() Ee[Ee*]')
})

test('sortSiteStructure moves every kind of item, and a section next to a group', async () => {
  const steps: Step[] = [
    ['Ee', { before: 'G' }, 200, 'Aa*[a2 a3 Aa*] Ee[Ee*] G(Bb[Bb*] Cc[Cc*] Dd[Dd*]) H()'],
    ['Ee', { before: 'G' }, 409],
    ['G', { before: 'Aa' }, 200, 'G(Bb[Bb*] Cc[Cc*] Dd[Dd*]) Aa*[a2 a3 Aa*] Ee[Ee*] H()'],
    ['Cc', { before: 'Bb' }, 200, 'G(Cc[Cc*] Bb[Bb*] Dd[Dd*]) Aa*[a2 a3 Aa*] Ee[Ee*] H()'],
    ['Cc', { before: 'H' }, 400],
    ['aa', { after: 'a2' }, 200, 'G(Cc[Cc*] Bb[Bb*] Dd[Dd*]) Aa*[a2 Aa* a3] Ee[Ee*] H()'],
    ['aa', { after: 'Ee' }, 400],
    ['Nothing', {}, 404],
    ['nothing', {}, 404],
  ]
  for (const [item, place, status, outline] of steps) {
    const before = await site.outline()
    const pointer = (title: string) => ({ type: kindOf(title), id: id(title) })
    const position = Object.fromEntries(Object.entries(place).map(([name, title]) => [name, pointer(title)]))
    await here.admin.call('patch', `${site.base}/structure/sort`, { item: pointer(item), position }).expect(status)
    assert.is(await site.outline(), outline ?? before, `${item} ${JSON.stringify(place)}`)
  }
  const wrongKind = { item: { type: 'site-section-group', id: id('Aa') } }
  await here.admin.call('patch', `${site.base}/structure/sort`, wrongKind).expect(404)
  for (const body of [
    {},
    { item: { type: 'page', id: 'x' } },
    { item: { type: 'site-space', id: id('aa') }, position: { at: 1 } },
  ])
    await here.admin.call('patch', `${site.base}/structure/sort`, body).expect(400)
})

test('two concurrent moves of one item run in sequence and do not duplicate it', async () => {
  const before = await site.outline()
  const move = (place: object) =>
    here.admin.call('post', `${site.base}/site-spaces/${id('aa')}/move`, { position: place })
  const first = { before: { type: 'site-space', siteSpace: id('a2') } }
  const responses = await Promise.all([move(first), move({}), move(first), move({})])
  for (const { status } of responses) assert.ok([200, 409].includes(status), String(status))
  const sorted = (outline: string): string =>
    outline
      .split(/[ ()[\]]+/)
      .sort()
      .join(' ')
  assert.is(sorted(await site.outline()), sorted(before))
})

test('a section is moved before it is deleted, or the move fails with 404', async () => {
  const section = await site.section('Passing')
  const path = `${site.base}/sections/${section.id}`
  const [moved, deleted, changed] = await Promise.all([
    here.admin.call('post', `${path}/move`, { position: { before: { type: 'site-section', siteSection: id('Aa') } } }),
    here.admin.call('delete', path),
    here.admin.call('patch', path, { title: 'Renamed' }),
  ])
  assert.ok(
    [200, 404].includes(moved.status) && [200, 404].includes(changed.status),
    `${moved.status} ${changed.status}`,
  )
  assert.is(deleted.status, 204)
  await here.admin.call('get', path).expect(404)
})

test('a cursor neither repeats nor skips site spaces while they change', async () => {
  const paged = await newSite(here)
  const made: string[] = []
  for (const title of ['s0', 's1', 's2', 's3', 's4', 's5']) made.push((await paged.siteSpace(title)).id)
  const list = async (query: string) =>
    (await here.admin.call('get', `${paged.base}/site-spaces?limit=2${query}`).expect(200)).body
  const first = await list('')
  await here.admin.call('delete', `${paged.base}/site-spaces/${made[1]}`).expect(204)
  await here.admin.call('delete', `${paged.base}/site-spaces/${made[2]}`).expect(204)
  await here.admin.call('post', `${paged.base}/site-spaces/${made[0]}/move`, {}).expect(200)
  await paged.siteSpace('s6')
  const second = await list(`&page=${first.next.page}`)
  const third = await list(`&page=${second.next.page}`)
  const titles = [first, second, third].map((page) => page.items.map((one: Json) => one.title))
  assert.equal(titles, [
    ['s0', 's1'],
    ['s3', 's4'],
    ['s5', 's0'],
  ])
})

test.run()
