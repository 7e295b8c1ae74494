/** Users: people and service accounts. */
import { type Static, Type } from '@sinclair/typebox'
import { type Draft, table } from '../kernel/documents.js'
import { closed, Id, nullable } from './common.js'
import type { StoredUserSettings } from './user-settings.js'

/**
 * How an address was verified: by a link that was mailed to it, by the operator (settings, command line),
 * or `earlier`: the account was created by a release without verification.
 */
export type AddressProof = 'mail' | 'operator'

/**
 * Either the address is verified, and no other account has it; or it is only claimed, and the user belongs to a single
 * organization. Once removed from it, the user is `former` permanently: their contributions keep the name, and no one
 * becomes that user again.
 */
type AccountKind =
  | { proof: AddressProof; limitedTo?: never; former?: never }
  | { limitedTo: string; proof?: never; former?: true }

/** A person or a named service account, as stored. */
export type UserDoc = UserFields & AccountKind

interface UserFields {
  id: string
  displayName: string
  /** In lowercase. */
  email: string
  photoURL?: string
  /** True for a service account, which owns tokens that belong to no person. */
  service?: boolean
  settings?: StoredUserSettings
  createdAt: string
}

/**
 * An address in the format that browsers accept, without quotes, comments and spaces, so that it cannot be read as
 * several addresses.
 */
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern:
    "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$",
  'x-pattern-message': 'must be an email address such as ada@example.org',
  description: 'An email address.',
})

const isClaimer = ({ limitedTo, former }: Draft<UserDoc>): boolean => limitedTo !== undefined && !former

/**
 * Each index contains one kind of user with an address, so that queries must choose. `proven`: the account with the
 * verified
 * address. `claimed`: users of one organization each with an unverified address. `claimedIn`: such a user of one
 * organization.
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
          'True if the user has not verified the address: they joined one organization with a link that was not mailed, and belong only to it. Absent = verified.',
      }),
    ),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'User' },
)

export const UpdateUser = Type.Object(
  {
    displayName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', 'x-pattern-message': 'must not be blank' }),
    ),
    photoURL: Type.Optional(
      nullable(
        Type.String({
          format: 'uri',
          pattern: '^https://',
          'x-pattern-message': 'must be an https URL',
          maxLength: 2048,
          description: 'An https URL; null removes it.',
        }),
      ),
    ),
  },
  { ...closed, $id: 'UpdateUser' },
)
export type UpdateUser = Static<typeof UpdateUser>
