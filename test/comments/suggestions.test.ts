import * as assert from 'uvu/assert'
import { suiteWith } from '../support/suite.js'
import { openDiscussion, startService } from './fixture.js'

const [test, here] = await suiteWith('suggestions, and comments on blocks that change', startService)

async function opened() {
  const desk = await openDiscussion(here)
  const guide = await desk.id('guide')
  const request = await desk.changeRequest()
  const reviewer = await here.caller('comment')
  const suggest = async (node: string, markdown: string, status = 200) =>
    (
      await reviewer
        .call('post', `${request.url}/comments`, {
          body: { markdown: 'Better?' },
          page: guide,
          node,
          suggestion: { markdown },
        })
        .expect(status)
    ).body
  return { desk, guide, request, reviewer, suggest }
}

test('an accepted suggestion changes one block, with the reviewer as co-author', async () => {
  const { desk, request, reviewer, suggest } = await opened()
  const comment = await suggest('n2', 'Second *and last* paragraph.')
  assert.equal(comment.suggestion, { markdown: 'Second *and last* paragraph.', original: 'Second **bold** paragraph.' })
  const before = (await desk.file('guide.md', request.ref)) ?? ''
  await reviewer.call('post', `${request.url}/comments/${comment.id}/accept`).expect(403)
  const accepted = (await here.admin.call('post', `${request.url}/comments/${comment.id}/accept`).expect(200)).body
  assert.equal([accepted.status, accepted.suggestion.acceptedBy.id], ['resolved', here.admin.user])
  assert.is(accepted.suggestion.revision, await desk.git('rev-parse', request.ref))
  assert.is(
    await desk.file('guide.md', request.ref),
    before.replace('Second **bold** paragraph.', 'Second *and last* paragraph.'),
  )
  assert.equal(await desk.changed(request.ref), ['M\tguide.md'])
  const { displayName, email } = comment.postedBy
  assert.match(await desk.git('log', '-1', '--format=%B', request.ref), `Co-authored-by: ${displayName} <${email}>`)
  await here.admin.call('post', `${request.url}/comments/${comment.id}/accept`).expect(409)
})

test('a suggestion for a block with another text is not written', async () => {
  const { desk, guide, request, suggest } = await opened()
  const comment = await suggest('n2', 'Second *and last* paragraph.')
  const text = (await desk.file('guide.md', request.ref)) ?? ''
  await request.write([
    { operation: 'update_page', page: guide, document: { markdown: text.replace('**bold**', 'plain') } },
  ])
  const head = await desk.git('rev-parse', request.ref)
  const { error } = (await here.admin.call('post', `${request.url}/comments/${comment.id}/accept`).expect(409)).body
  assert.match(error.message, 'has changed')
  assert.is(await desk.git('rev-parse', request.ref), head)
})

test('a suggestion needs a block of a change request', async () => {
  const { desk, guide, request } = await opened()
  const post = (at: string, target: object) =>
    here.admin
      .call('post', `${at}/comments`, { body: { markdown: 'x' }, suggestion: { markdown: 'y' }, ...target })
      .expect(400)
  for (const { body } of [
    await post(request.url, {}),
    await post(request.url, { page: guide }),
    await post(desk.url, { page: guide, node: 'n1' }),
  ])
    assert.is(body.error.details[0].path, '/suggestion')
})

test('a comment stays with its block while the text of the block changes', async () => {
  const { desk, guide, request, reviewer } = await opened()
  const { id } = (
    await reviewer
      .call('post', `${request.url}/comments`, { body: { markdown: 'Why?' }, page: guide, node: 'n2' })
      .expect(200)
  ).body
  const targetOf = async () => (await here.admin.call('get', `${request.url}/comments/${id}`).expect(200)).body.target
  const write = async (from: string, to: string) => {
    const text = (await desk.file('guide.md', request.ref)) ?? ''
    await request.write([{ operation: 'update_page', page: guide, document: { markdown: text.replace(from, to) } }])
  }
  await write('First paragraph.', 'A new one.\n\nFirst paragraph.')
  assert.equal([(await targetOf()).node.id, (await targetOf()).page.outdated], ['n3', false])
  await write('Second **bold** paragraph.', 'The second **bold** paragraph, with more words.')
  const changed = await targetOf()
  assert.equal([changed.node.id, changed.node.changed, changed.page.outdated], ['n3', true, true])
  await write('The second **bold** paragraph, with more words.\n\n', '')
  const gone = await targetOf()
  assert.equal([gone.node.changed, gone.page.outdated], [undefined, true])
})

test.run()
