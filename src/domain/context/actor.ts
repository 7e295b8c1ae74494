import type { UserDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'

/** Who asks. */
export interface Actor {
  user: Document<UserDoc>
  token: { id: string; readOnly: boolean; organization?: string; expiresAt?: string; byEmail?: boolean }
}
