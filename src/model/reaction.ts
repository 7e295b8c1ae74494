/** Reactions with an emoji to a comment or reply. */
import { Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { Timestamp } from './common.js'
import { User } from './user.js'

/** One user's reaction to a comment or reply, as stored. Its ID is `<post>:<user>:<emoji>`. */
export interface ReactionDoc {
  id: string
  space: string
  /** ID of the comment or reply. */
  post: string
  user: string
  emoji: string
  reactedAt: string
}

export const reactions = table<ReactionDoc>()({
  name: 'reactions',
  indexes: { space: (reaction) => reaction.space, post: (reaction) => reaction.post },
  owner: 'space',
})

export const reactionId = (post: string, user: string, emoji: string): string => `${post}:${user}:${emoji}`

/** Maximum number of users listed for one emoji. */
export const MAX_REACTION_USERS = 100

export const Reaction = Type.Object(
  {
    emoji: Type.String(),
    count: Type.Integer({ minimum: 1 }),
    users: Type.Array(Type.Object({ user: User, reactedAt: Timestamp }), {
      maxItems: MAX_REACTION_USERS,
      description: `The users who reacted, earliest first; at most ${MAX_REACTION_USERS} users are listed.`,
    }),
  },
  { $id: 'Reaction' },
)

const Emojis = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 50 }), { maxItems: 20, uniqueItems: true, description }),
  )

export const reactionMembers = {
  addedReactions: Emojis(
    'Emoji to react with: the emoji itself, or its code points in hexadecimal (`1f44d`). Existing reactions are ignored.',
  ),
  removedReactions: Emojis('Your own reactions to remove. Reactions that do not exist are ignored.'),
}
