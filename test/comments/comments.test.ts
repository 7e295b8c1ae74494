import * as assert from 'uvu/assert'
import { memberships, membershipId } from '../../src/model/index.js'
import type { Caller } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Desk, openDiscussion, startService } from './fixture.js'

let now = Date.parse('2026-01-01T00:00:00Z')
const [test, here] = await suiteWith('comments: text and permissions', () =>
  startService({ overrides: { clock: { now: () => new Date(now) } } }),
)

const hello = { body: { markdown: 'Hello.' } }
const post = async (who: Caller, at: string, input: object = hello) => {
  now += 1000
  return (await who.call('post', at, input).expect(200)).body
}
/** On the space and on a change request. Everything else is the same. */
async function places(): Promise<{ desk: Desk; url: string; owner: string; what: string }[]> {
  const desk = await openDiscussion(here)
  const change = await desk.changeRequest()
  return [
    { desk, url: `${desk.url}/comments`, owner: desk.url, what: 'space' },
    { desk, url: `${change.url}/comments`, owner: change.url, what: 'change request' },
  ]
}

test('each role has its permissions on a comment by another user, and the response lists them', async () => {
  for (const { url, what } of await places()) {
    const table = {
      // list, post, react, resolve, edit, reply, delete; then permissions
      read: [200, 403, 403, 403, 403, 403, 403, { view: true, edit: false, reply: false, delete: false }],
      comment: [200, 200, 200, 403, 403, 200, 403, { view: true, edit: false, reply: true, delete: false }],
      edit: [200, 200, 200, 200, 403, 200, 403, { view: true, edit: false, reply: true, delete: false }],
      create: [200, 200, 200, 200, 403, 200, 403, { view: true, edit: false, reply: true, delete: false }],
      admin: [200, 200, 200, 200, 403, 200, 204, { view: true, edit: false, reply: true, delete: true }],
    } as const
    const author = await here.caller('comment')
    for (const [role, expected] of Object.entries(table)) {
      const who = await here.caller(role as keyof typeof table)
      const one = `${url}/${(await post(author, url)).id}`
      const shown = (await who.call('get', one).expect(200)).body.permissions
      const got = [
        await who.call('get', url),
        await who.call('post', url, hello),
        await who.call('put', one, { addedReactions: ['👍'] }),
        await who.call('put', one, { resolved: true }),
        await who.call('put', one, hello),
        await who.call('post', `${one}/replies`, hello),
        await who.call('delete', one),
      ]
      assert.equal([...got.map((response) => response.status), shown], expected, `${what}: ${role}`)
    }
    const own = await post(author, url)
    assert.equal(own.permissions, { view: true, edit: true, reply: true, delete: true })
    await author.call('put', `${url}/${own.id}`, { resolved: true, body: { markdown: 'Mine.' } }).expect(200)
    await author.call('delete', `${url}/${own.id}`).expect(204)
    await author.call('delete', `${url}/${own.id}`).expect(204)
    for (const stranger of [await here.caller(), await here.caller(null)]) {
      for (const [method, path] of [
        ['get', ''],
        ['post', ''],
        ['get', `/${own.id}`],
        ['put', `/${own.id}`],
        ['delete', `/${own.id}`],
        ['get', `/${own.id}/replies`],
      ] as const)
        await stranger
          .call(method, `${url}${path}`, method === 'post' || method === 'put' ? hello : undefined)
          .expect(404)
    }
  }
})

test('a user who lost access cannot use comments, but their comments keep their name', async () => {
  const [{ desk, url, owner }] = (await places()) as [Awaited<ReturnType<typeof places>>[0]]
  const who = await here.caller('comment')
  const comment = await post(who, url)
  const { store } = here.service.app
  await store.remove(memberships, membershipId(here.organization, who.user))
  for (const method of ['get', 'put', 'delete'] as const)
    await who.call(method, `${url}/${comment.id}`, method === 'put' ? hello : undefined).expect(404)
  const shown = (await here.admin.call('get', `${url}/${comment.id}`).expect(200)).body
  assert.is(shown.postedBy.id, who.user)
  assert.match(shown.postedBy.displayName, /^Person/)
  assert.is((await here.admin.call('get', `${url}?authors=${who.user}`).expect(200)).body.count, 1)
  assert.is((await here.admin.call('get', `${owner}/commenters`).expect(200)).body.count, 0)
  assert.is((await here.admin.call('get', desk.url).expect(200)).body.comments, 1)
})

test('a comment body is returned as markdown or as a block tree, whichever is requested', async () => {
  for (const { url } of await places()) {
    const markdown = 'A **bold** word, `code`,\r\n\r\n<script>alert(1)</script> and {% hint %} text.  '
    const comment = await post(here.admin, url, { body: { markdown } })
    assert.equal(comment.body, { markdown })
    const { body } = (await here.admin.call('get', `${url}/${comment.id}?format=document`).expect(200)).body
    assert.is(body.document.object, 'document')
    assert.is(body.markdown, undefined)
    const again = await post(here.admin, url, { body })
    assert.equal(
      (await here.admin.call('get', `${url}/${again.id}?format=document`).expect(200)).body.body.document.nodes[0]
        .nodes,
      body.document.nodes[0].nodes,
    )
    const inTree = (await here.admin.call('post', `${url}?format=document`, hello).expect(200)).body
    assert.is(inTree.body.document.nodes[0].nodes[0].leaves[0].text, 'Hello.')
    const list = (await here.admin.call('get', `${url}?format=document&limit=1`).expect(200)).body
    assert.is(list.items[0].body.document.object, 'document')
    const reply = (await here.admin.call('post', `${url}/${comment.id}/replies?format=document`, hello).expect(200))
      .body
    assert.is(reply.body.document.object, 'document')
    await here.admin.call('get', `${url}?format=html`).expect(400)
  }
})

test('an invalid, blank, too long or hostile body is rejected with its field', async () => {
  const [{ url }] = (await places()) as [Awaited<ReturnType<typeof places>>[0]]
  const text = (value: string) => ({ object: 'text', leaves: [{ object: 'leaf', text: value, marks: [] }] })
  const tree = (node: object) => ({ document: { object: 'document', data: {}, nodes: [node] } })
  const paragraph = (value: string) => tree({ object: 'block', type: 'paragraph', nodes: [text(value)] })
  const cases: [body: unknown, path: string][] = [
    [undefined, ''],
    [null, '/body'],
    [{}, '/body'],
    ['text', '/body'],
    [{ markdown: '' }, '/body'],
    [{ markdown: ' \n\t ' }, '/body/markdown'],
    [{ markdown: 'x'.repeat(20_001) }, '/body'],
    [{ markdown: 'x', document: {} }, '/body'],
    [{ markdown: 'nul \0' }, '/body/markdown'],
    [{ document: {} }, '/body/document'],
    [tree({ object: 'block', type: 'no-such-type' }), '/body/document'],
    [paragraph('x'.repeat(20_001)), '/body/document'],
    [paragraph(''), '/body/document'],
  ]
  for (const [body, path] of cases) {
    const response = await here.admin.call('post', url, { body })
    assert.is(response.status, 400, `${JSON.stringify(body)?.slice(0, 60)}: ${response.text.slice(0, 200)}`)
    assert.ok(
      response.body.error.details.some((one: { path: string }) => one.path.startsWith(path)),
      `${JSON.stringify(body)?.slice(0, 60)}: ${JSON.stringify(response.body.error.details)}`,
    )
  }
  for (const [body, path] of [
    [{ markdown: '_a*'.repeat(5000) }, '/body/markdown'],
    [{ markdown: '> '.repeat(500) }, '/body/markdown'],
    [{ markdown: `a|b|c\n-|-|-\n${'x\n'.repeat(9_000)}` }, '/body/markdown'],
    [paragraph('*_['.repeat(3_200)), '/body/document'],
  ] as const) {
    const { error } = (await here.admin.call('post', url, { body }).expect(413)).body
    assert.is(error.details[0].path, path)
  }
  await here.admin.call('post', url, { body: { markdown: 'x'.repeat(300_000) } }).expect(413)
  await here.admin.call('post', url, { body: { markdown: 'x'.repeat(20_000) } }).expect(200)
})

test('a comment is resolved and reopened once, with the user and the time', async () => {
  for (const { url, owner, what } of await places()) {
    const [author, editor] = [await here.caller('comment'), await here.caller('edit')]
    const { id } = await post(author, url)
    const open = async () => (await here.admin.call('get', owner).expect(200)).body.comments
    assert.is(await open(), 1, what)
    now += 1000
    const first = (await editor.call('put', `${url}/${id}`, { resolved: true }).expect(200)).body
    assert.equal(
      [first.status, first.resolvedBy.id, first.resolvedAt, first.editedAt],
      ['resolved', editor.user, new Date(now).toISOString(), undefined],
    )
    assert.is(await open(), 0)
    now += 1000
    assert.equal(
      (await author.call('put', `${url}/${id}`, { resolved: true }).expect(200)).body.resolvedBy.id,
      editor.user,
      'already resolved',
    )
    const again = (await author.call('put', `${url}/${id}`, { resolved: false }).expect(200)).body
    assert.equal([again.status, again.resolvedAt, again.resolvedBy], ['open', undefined, undefined])
    assert.is(await open(), 1)
    await here.admin.call('put', `${url}/${id}`, { resolved: true, body: { markdown: 'Not mine.' } }).expect(403)
    assert.is((await here.admin.call('get', `${url}/${id}`).expect(200)).body.status, 'open', 'all or nothing')
  }
})

test('replies are listed oldest first, counted, edited by their author, and deleted together', async () => {
  for (const { url, owner } of await places()) {
    const [one, other] = [await here.caller('comment'), await here.caller('comment')]
    const comment = await post(one, url)
    const at = `${url}/${comment.id}/replies`
    const made = [await post(one, at), await post(other, at), await post(one, at)]
    const list = (await here.admin.call('get', `${at}?limit=2`).expect(200)).body
    assert.equal([list.count, ...list.items.map((reply: { id: string }) => reply.id)], [3, made[0].id, made[1].id])
    const rest = (await here.admin.call('get', `${at}?limit=2&page=${list.next.page}`).expect(200)).body
    assert.equal([rest.items.map((reply: { id: string }) => reply.id), rest.next], [[made[2].id], undefined])
    assert.is(made[0].object, 'comment-reply')
    assert.ok(made[0].urls.location.endsWith(`${at}/${made[0].id}`))
    now += 1000
    const edited = (
      await other
        .call('put', `${at}/${made[1].id}`, { body: { markdown: 'Better.' }, addedReactions: ['🎉'] })
        .expect(200)
    ).body
    assert.equal(
      [edited.body, edited.editedAt, edited.reactions[0].emoji],
      [{ markdown: 'Better.' }, new Date(now).toISOString(), '🎉'],
    )
    await one.call('put', `${at}/${made[1].id}`, hello).expect(403)
    await one.call('put', `${at}/${made[1].id}`, { resolved: true }).expect(400)
    await one.call('delete', `${at}/${made[1].id}`).expect(403)
    await other.call('delete', `${at}/${made[1].id}`).expect(204)
    await other.call('delete', `${at}/${made[1].id}`).expect(204)
    assert.is((await one.call('get', `${url}/${comment.id}`).expect(200)).body.replies, 2)
    const elsewhere = await post(one, url)
    await one.call('get', `${url}/${elsewhere.id}/replies/${made[0].id}`).expect(404)
    await one.call('delete', `${url}/${elsewhere.id}/replies/${made[0].id}`).expect(204)
    await one.call('get', `${at}/${made[0].id}`).expect(200)
    await one.call('put', `${url}/${comment.id}`, { resolved: true }).expect(200)
    await post(other, at)
    assert.is((await one.call('get', `${url}/${comment.id}`).expect(200)).body.status, 'resolved')
    assert.is((await here.admin.call('get', `${owner}/commenters`).expect(200)).body.count, 2)
    await one.call('delete', `${url}/${comment.id}`).expect(204)
    await one.call('get', at).expect(404)
    await one.call('delete', `${at}/${made[0].id}`).expect(404)
    assert.equal(
      (await here.admin.call('get', `${owner}/commenters`).expect(200)).body.items.map(
        (member: { id: string }) => member.id,
      ),
      [one.user],
    )
  }
})

test('comments work in a locked space, and on an archived or merged change request', async () => {
  const desk = await openDiscussion(here)
  const [archived, merged] = [await desk.changeRequest(), await desk.changeRequest()]
  await here.admin.call('patch', archived.url, { status: 'archived' }).expect(200)
  await merged.merge()
  await here.admin.call('patch', desk.url, { editMode: 'locked' }).expect(200)
  for (const url of [desk.url, archived.url, merged.url]) {
    const comment = await post(await here.caller('comment'), `${url}/comments`, {
      ...hello,
      page: await desk.id('guide'),
      node: 'n0',
    })
    await post(await here.caller('comment'), `${url}/comments/${comment.id}/replies`)
    await here.admin.call('put', `${url}/comments/${comment.id}`, { resolved: true }).expect(200)
  }
})

test('a comment is found only in the discussion in which it was posted', async () => {
  const [onSpace, onChange] = (await places()) as [
    Awaited<ReturnType<typeof places>>[0],
    Awaited<ReturnType<typeof places>>[0],
  ]
  const [a, b] = [await post(here.admin, onSpace.url), await post(here.admin, onChange.url)]
  for (const [url, id] of [
    [onSpace.url, b.id],
    [onChange.url, a.id],
    [`${(await openDiscussion(here)).url}/comments`, a.id],
    [`${(await onSpace.desk.changeRequest()).url}/comments`, b.id],
  ]) {
    await here.admin.call('get', `${url}/${id}`).expect(404)
    await here.admin.call('put', `${url}/${id}`, hello).expect(404)
    await here.admin.call('delete', `${url}/${id}`).expect(204)
    await here.admin.call('post', `${url}/${id}/replies`, hello).expect(404)
  }
  await here.admin.call('get', `${onSpace.url}/${a.id}`).expect(200)
  await here.admin.call('get', `${onChange.url}/${b.id}`).expect(200)
})

test.run()
