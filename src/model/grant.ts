import { table } from '../kernel/documents.js'
import type { Role } from './common.js'

/** A role given by name on a space, a collection or a site, as stored. Its ID is `<target>:<principal>`. */
export interface GrantDoc {
  id: string
  /** `space:<id>`, `collection:<id>` or `site:<id>`. */
  target: string
  /** `user:<id>` or `team:<id>`. */
  principal: string
  role: Role
}

export const grants = table<GrantDoc>()({
  name: 'grants',
  indexes: { target: (grant) => grant.target, principal: (grant) => grant.principal },
  owner: (grant) => grant.target,
})

/**
 * A role that lies still, as stored: content left the organization of who had it. It takes effect again where the content
 * comes back, and is nothing anywhere else.
 */
export interface KeptGrantDoc extends GrantDoc {
  /** The organization in which it was given. */
  organization: string
}

export const keptGrants = table<KeptGrantDoc>()({
  name: 'kept-grants',
  indexes: {
    target: (grant) => grant.target,
    place: (grant) => `${grant.organization}/${grant.target}`,
    principal: (grant) => `${grant.organization}/${grant.principal}`,
  },
  owner: (grant) => grant.target,
})
