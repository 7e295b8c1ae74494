/** Invitations into an organization: for one email address, or as a link for several people. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, listOf, nullable, oneOf, type Role, RoleSchema, Timestamp } from './common.js'
import { Member } from './member.js'
import { LinkSecret } from './sign-in.js'
import { CreatedToken } from './token.js'
import { Email } from './user.js'

/** An invitation into an organization, as stored: for one email address, or as a link that anyone can use. */
export interface InviteDoc {
  id: string
  organization: string
  kind: 'email' | 'link'
  /** In lowercase; only for an email invitation. */
  email?: string
  role: Role | null
  /** Whether members who accept must use single sign-on. */
  sso: boolean
  /** SHA-256 of the link's secret, hexadecimal; absent until the mail with the link is written. */
  hash?: string
  /** The inviter. The invitation is valid only while they are an admin. */
  createdBy: string
  createdAt: string
  /** Time of the last resend. */
  sentAt?: string
  expiresAt?: string
  /** State of the mail with the link; absent = the link was in a response, so it does not verify the address. */
  mail?: 'queued' | 'sent' | 'failed'
  /** The user who accepted. A link invitation can be accepted many times, so it never has this. */
  accepted?: { user: string; at: string }
}

export const invites = table<InviteDoc>()({
  name: 'invites',
  indexes: {
    organization: (invite) => `${invite.organization}/${invite.kind}`,
    email: (invite) => (invite.email === undefined ? null : `${invite.organization}/${invite.email}`),
    hash: (invite) => invite.hash ?? null,
    createdBy: (invite) => `${invite.organization}/${invite.createdBy}`,
  },
  orders: {
    expiry: {
      group: (invite) => (invite.expiresAt === undefined ? null : 'all'),
      by: (invite) => invite.expiresAt ?? '',
    },
  },
  unique: ['hash'],
  owner: (invite) => invite.organization,
})

const InviteUrls = Type.Object({
  location: Type.String(),
  invite: Type.Optional(
    Type.String({ description: 'The link to open. It is returned only once, and not at all if it is mailed.' }),
  ),
})

export const Invite = Type.Object(
  {
    object: Type.Literal('invite'),
    id: Id,
    email: Type.String(),
    role: nullable(RoleSchema),
    sso: Type.Boolean(),
    delivery: oneOf(['queued', 'sent', 'failed', 'link'], {
      description:
        'The state of the mail. `failed`: the mail server rejected it permanently. `link`: no mail server is configured, and the link was in the response.',
    }),
    createdBy: Id,
    createdAt: Timestamp,
    expiresAt: Timestamp,
    urls: InviteUrls,
  },
  { $id: 'Invite' },
)

export const InviteList = listOf(Invite, { $id: 'InviteList' })

const sso = Type.Optional(
  Type.Boolean({ default: false, description: 'Whether members who accept must use single sign-on.' }),
)

export const InviteUsers = Type.Object(
  {
    emails: Type.Array(Email, {
      minItems: 1,
      maxItems: 100,
      description: 'Email addresses without duplicates, ignoring case.',
    }),
    role: Type.Optional(nullable(RoleSchema)),
    sso,
  },
  { ...closed, $id: 'InviteUsers' },
)
export type InviteUsers = Static<typeof InviteUsers>

export const InvitedUsers = Type.Object(
  {
    users: Type.Array(Id, { description: 'IDs of users who are already members. Nothing is sent to them.' }),
    invited: Type.Integer({ minimum: 0, description: 'Number of invitations created.' }),
    invites: Type.Array(Invite),
  },
  { $id: 'InvitedUsers' },
)

export const LinkInvite = Type.Object(
  {
    object: Type.Literal('link-invite'),
    id: Id,
    role: nullable(RoleSchema),
    sso: Type.Boolean(),
    createdBy: Id,
    createdAt: Timestamp,
    expiresAt: Type.Optional(Timestamp),
    urls: InviteUrls,
  },
  { $id: 'LinkInvite' },
)

export const LinkInviteList = listOf(LinkInvite, { $id: 'LinkInviteList' })

export const CreateLinkInvite = Type.Object(
  { role: Type.Optional(nullable(RoleSchema)), sso, expiresAt: Type.Optional(Timestamp) },
  { ...closed, $id: 'CreateLinkInvite' },
)
export type CreateLinkInvite = Static<typeof CreateLinkInvite>

export const UpdateLinkInvite = Type.Object(
  {
    role: Type.Optional(nullable(RoleSchema)),
    sso: Type.Optional(Type.Boolean()),
    expiresAt: Type.Optional(nullable(Timestamp)),
  },
  { ...closed, $id: 'UpdateLinkInvite' },
)
export type UpdateLinkInvite = Static<typeof UpdateLinkInvite>

export const AcceptInvite = Type.Object(
  {
    token: LinkSecret,
    displayName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Display name of a new account.' }),
    ),
  },
  { ...closed, $id: 'AcceptInvite' },
)
export type AcceptInvite = Static<typeof AcceptInvite>

export const AcceptedInvite = Type.Object(
  { object: Type.Literal('accepted-invite'), organization: Id, member: Member, token: Type.Optional(CreatedToken) },
  { $id: 'AcceptedInvite' },
)
