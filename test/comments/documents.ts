import * as assert from 'uvu/assert'
import type { App } from '../../src/domain/context/app.js'
import {
  changeRequests,
  commenters,
  comments,
  discussionKey,
  reactions,
  replies,
  spaces,
} from '../../src/model/index.js'

const tally = (keys: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const key of keys.toSorted()) counts[key] = (counts[key] ?? 0) + 1
  return counts
}

/** Checks that every counter matches the documents, and that nothing deleted left a document behind. */
export async function checkDocuments({ store }: App): Promise<void> {
  const [allComments, allReplies] = [await store.all(comments), await store.all(replies)]
  const posts = [...allComments, ...allReplies]
  const open = tally(allComments.filter((one) => one.status === 'open').map(discussionKey))
  const there = new Set<string>()
  for (const space of await store.all(spaces)) {
    there.add(space.id)
    assert.is(space.comments, open[discussionKey({ space: space.id })] ?? 0, `open comments of space ${space.id}`)
  }
  for (const one of await store.all(changeRequests))
    assert.is(
      one.comments,
      open[discussionKey({ space: one.space, changeRequest: one.id })] ?? 0,
      `open comments of change request ${one.number}`,
    )
  const replyCounts = tally(allReplies.map((reply) => reply.comment))
  for (const comment of allComments)
    assert.is(comment.replies, replyCounts[comment.id] ?? 0, `replies to ${comment.id}`)
  const wrote = tally(posts.map((post) => `${discussionKey(post)}:${post.postedBy}`))
  const said = (await store.all(commenters)).map((one): [string, number] => [one.id, one.posts])
  assert.equal(Object.fromEntries(said.sort(([a], [b]) => (a < b ? -1 : 1))), wrote, 'who wrote how much')
  const ids = new Set(allComments.map(({ id }) => id))
  for (const reply of allReplies) assert.ok(ids.has(reply.comment), `the comment of reply ${reply.id}`)
  const postIds = new Set(posts.map(({ id }) => id))
  for (const one of await store.all(reactions)) assert.ok(postIds.has(one.post), `the post of reaction ${one.id}`)
  for (const one of [...posts, ...(await store.all(reactions)), ...(await store.all(commenters))])
    assert.ok(there.has(one.space), `the space of ${one.id}`)
}
