// The authenticated caller of a request.
import type { UserDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'

/** The user who makes a request, and the token that authenticates them. */
export interface Actor {
  user: Document<UserDoc>
  token: {
    id: string
    readOnly: boolean
    organization?: string
    expiresAt?: string
    byEmail?: boolean
    sso?: { identity: string }
  }
}
