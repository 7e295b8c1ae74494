/** Users: people and service accounts. */
import { Type } from '@sinclair/typebox'
import { type Draft, table } from '../kernel/documents.js'
import { Id } from './common.js'

/**
 * How it was shown that an address is its user's: by a link that was mailed to it, by the operator's word (his settings, the
 * command line), or `earlier`: the account was made by a release that did not ask.
 */
export type AddressProof = 'mail' | 'operator' | 'earlier'

/**
 * Either the address is his, and no other account has it; or it is only said to be his, and he belongs to one organization
 * alone. Once he is removed from that he is `former` for good: what he wrote keeps his name, and nobody becomes him again.
 */
export type Standing = { proof: AddressProof; limitedTo?: never; former?: never } | { limitedTo: string; proof?: never; former?: true }

/** A person or a named service account, as stored. */
export type UserDoc = UserFields & Standing

interface UserFields {
  id: string
  displayName: string
  /** Lower case. */
  email: string
  photoURL?: string
  /** True for a service account: a name for tokens that belong to no person. */
  service?: boolean
  createdAt: string
}

/** An address as browsers take it, without quotes, comments and blanks: nothing in it can be read as more than one address. */
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$",
  description: 'An e-mail address.',
})

const isClaimer = ({ limitedTo, former }: Draft<UserDoc>): boolean => limitedTo !== undefined && !former

/**
 * There is no index of all who name an address: who looks for one says which kind is meant. `proven`: the account whose
 * address it is. `claimed`: users of one organization each who say that it is theirs. `claimedIn`: that of one organization.
 */
export const users = table<UserDoc>()({
  name: 'users',
  indexes: {
    proven: (user) => (user.proof === undefined ? null : user.email),
    claimed: (user) => (isClaimer(user) ? user.email : null),
    claimedIn: (user) => (isClaimer(user) ? `${user.limitedTo}/${user.email}` : null),
  },
  unique: ['proven', 'claimedIn'],
  owner: (user) => user.id.slice(0, 1),
})

export const User = Type.Object(
  {
    object: Type.Literal('user'),
    id: Id,
    displayName: Type.String(),
    email: Type.String(),
    photoURL: Type.Optional(Type.String()),
    emailUnproven: Type.Optional(
      Type.Boolean({
        description:
          'True where nobody has shown that the address is his: he joined one organization by a link that did not come by mail, and belongs to it alone. Absent = his own.',
      }),
    ),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'User' },
)
