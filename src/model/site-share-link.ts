// The resource "share link" of a site.
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, Timestamp } from './common.js'

/** A link that opens a site to everyone who knows it, as stored. The document does not reveal the key. */
export interface ShareLinkDoc {
  id: string
  site: string
  name: string
  active: boolean
  createdAt: string
  createdBy: string
  /** SHA-256 of the key, for finding the link of a visitor's key. */
  keyHash: string
  /** The key, sealed with the service's signing key, because lists return it again. */
  sealedKey: string
}

export const shareLinks = table<ShareLinkDoc>()({
  name: 'share-links',
  indexes: { site: (link) => link.site, keyHash: (link) => link.keyHash },
  unique: ['keyHash'],
  orders: { createdAt: { group: (link) => link.site, by: (link) => link.createdAt } },
  owner: 'site',
})

const Name = Type.String({ maxLength: 50 })

export const ShareLink = Type.Object(
  {
    object: Type.Literal('share-link'),
    id: Id,
    createdAt: Timestamp,
    name: Name,
    active: Type.Boolean(),
    urls: Type.Object({
      published: Type.Optional(
        Type.String({
          description: 'The address with its secret. Absent if the signing key of the service has been replaced.',
        }),
      ),
    }),
  },
  { $id: 'ShareLink' },
)

export const CreateShareLink = Type.Object({ name: Name }, { ...closed, $id: 'CreateShareLink' })
export type CreateShareLink = Static<typeof CreateShareLink>

export const UpdateShareLink = Type.Object(
  { name: Type.Optional(Name), active: Type.Optional(Type.Boolean()) },
  { ...closed, $id: 'UpdateShareLink' },
)
export type UpdateShareLink = Static<typeof UpdateShareLink>
