/** The users who wrote in a discussion. */
import { table } from '../kernel/documents.js'

/**
 * The number of posts of a user in a discussion, as stored. Its ID is `<discussion>:<user>`. It is removed with the
 * last post.
 */
interface CommenterDoc {
  id: string
  space: string
  discussion: string
  user: string
  /** Number of comments and replies. */
  posts: number
}

export const commenters = table<CommenterDoc>()({
  name: 'commenters',
  indexes: { space: (one) => one.space, discussion: (one) => one.discussion },
  owner: 'space',
})

export const commenterId = (discussion: string, user: string): string => `${discussion}:${user}`
