// Adds and removes reactions to comments and replies.
import { badRequest, conflict, type ErrorDetail } from '../../kernel/errors.js'
import { type ReactionDoc, reactionId, reactions } from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'
import type { DiscussionWrite } from './discussion.js'

/** Maximum number of different emoji on one post (a comment or reply). */
const MAX_EMOJI = 50

/** Emoji that the caller adds and removes. */
interface ReactionChange {
  added: ReadonlySet<string>
  removed: ReadonlySet<string>
}

/**
 * Parses the reactions in a request. Throws 400 for a text that is not an emoji, and for an emoji that is both added
 * and removed.
 */
export function readReactions(input: { addedReactions?: string[]; removedReactions?: string[] }): ReactionChange {
  const details: ErrorDetail[] = []
  const read = (member: 'addedReactions' | 'removedReactions'): Set<string> => {
    const found = (input[member] ?? []).map((text, index) => {
      const emoji = readEmoji(text)
      if (emoji === null)
        details.push({ path: `/${member}/${index}`, message: 'must be one emoji, such as 👍 or its code 1f44d' })
      return emoji
    })
    return new Set(found.filter((emoji) => emoji !== null))
  }
  const change = { added: read('addedReactions'), removed: read('removedReactions') }
  for (const emoji of change.added)
    if (change.removed.has(emoji))
      details.push({ path: '/removedReactions', message: `must not contain ${emoji}, which is also added` })
  if (details.length > 0)
    throw badRequest(`The reactions are invalid: ${details[0]?.path} ${details[0]?.message}.`, details)
  return change
}

/**
 * Adds and removes the caller's reactions to a post. Returns whether anything changed. Throws 409 if the post would
 * have too many different ones.
 */
export async function react(
  { tx, actor, space, now }: DiscussionWrite,
  post: string,
  { added, removed }: ReactionChange,
): Promise<boolean> {
  let changed = false
  const idOf = (emoji: string): string => reactionId(post, actor.user.id, emoji)
  for (const emoji of removed) changed = (await tx.remove(reactions, idOf(emoji))) || changed
  const fresh: string[] = []
  for (const emoji of added) if (!(await tx.get(reactions, idOf(emoji)))) fresh.push(emoji)
  if (fresh.length === 0) return changed
  const different = new Set([...(await tx.find(reactions, 'post', post)).map((one) => one.emoji), ...fresh])
  if (different.size > MAX_EMOJI)
    throw conflict(`There can be at most ${MAX_EMOJI} different reactions. Use an existing one.`)
  for (const emoji of fresh)
    await tx.insert(reactions, { id: idOf(emoji), space: space.id, post, user: actor.user.id, emoji, reactedAt: now })
  return true
}

/** Removes all reactions to a post, in the transaction that removes the post. */
export async function removeReactions(tx: Transaction, post: string): Promise<void> {
  for (const one of await tx.find(reactions, 'post', post)) await tx.remove(reactions, one.id)
}

const earlier = (a: ReactionDoc, b: ReactionDoc): number =>
  a.reactedAt < b.reactedAt ? -1 : a.reactedAt > b.reactedAt ? 1 : a.id < b.id ? -1 : 1

/** Returns the reactions to a post by emoji. Emoji and users are in the order in which they reacted. */
export async function reactionsTo(reader: Reader, post: string): Promise<Map<string, Document<ReactionDoc>[]>> {
  const byEmoji = new Map<string, Document<ReactionDoc>[]>()
  for (const one of (await reader.find(reactions, 'post', post)).sort(earlier))
    byEmoji.set(one.emoji, [...(byEmoji.get(one.emoji) ?? []), one])
  return byEmoji
}

/**
 * Regular expression flag for Unicode property sets. Node supports it, but the compiler's target has no literal with
 * it.
 */
const FLAGS = 'v'
let emojiPattern: RegExp | null = null
/** Whether a text is one emoji. The expression is created on first use: it would take a thirtieth of a start. */
const isEmoji = (text: string): boolean => (emojiPattern ??= new RegExp('^\\p{RGI_Emoji}$', FLAGS)).test(text)

/** Hexadecimal code points, as many clients write an emoji: `1f44d`, `1f1e9-1f1ea`. */
const CODES = /^[0-9a-f]{2,6}(-[0-9a-f]{2,6}){0,15}$/i
/** Variation selector 16. It selects the emoji form of a character that is text by default. */
const EMOJI_FORM = '\ufe0f'

function fromCodes(text: string): string | null {
  const points = text.split('-').map((code) => Number.parseInt(code, 16))
  return points.every((point) => point <= 0x10ffff) ? String.fromCodePoint(...points) : null
}

/**
 * Parses a text that is one emoji, and returns it in the form that Unicode recommends for interchange. Null for any
 * other text.
 */
function readEmoji(text: string): string | null {
  const given = CODES.test(text) ? fromCodes(text) : text
  if (given === null) return null
  const [first = '', ...rest] = given
  return [given, given + EMOJI_FORM, first + EMOJI_FORM + rest.join('')].find(isEmoji) ?? null
}
