import { type UserDoc, users } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import { organizationRole } from '../roles/access.js'
import { findAccount, findLimitedMember } from './accounts.js'

/**
 * Who in an organization wrote what Git says an address wrote: the account whose address it is, where it is a member; else
 * the member who says that it is his. Git records what is claimed, of everybody; the audit log says who acted. Nobody
 * outside of the organization is told of: the addresses in a history must not find out who has an account here.
 */
export async function memberOfAddress(reader: Reader, organization: string, email: string): Promise<Document<UserDoc> | null> {
  const account = await findAccount(reader, email)
  const user = account && (await isMember(reader, organization, account.id)) ? account : await findLimitedMember(reader, organization, email)
  return user && (await isMember(reader, organization, user.id)) ? user : null
}

/** The address under which a member's writings are found, the other way round; null where it stands for somebody else, or he is no member. */
export async function addressOfMember(reader: Reader, organization: string, id: string): Promise<string | null> {
  const user = await reader.get(users, id)
  if (!user) return null
  return (await memberOfAddress(reader, organization, user.email))?.id === id ? user.email : null
}

const isMember = async (reader: Reader, organization: string, user: string): Promise<boolean> =>
  (await organizationRole(reader, user, organization)) !== undefined
