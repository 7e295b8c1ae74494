// Finds the members for the author addresses of commits.
import { type UserDoc, users } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import { organizationRole } from '../roles/access.js'
import { findAccount, findLimitedMember } from './accounts.js'

/**
 * Finds the member of an organization for an author address in Git: the account that owns the address, if it is a
 * member, otherwise the member who claims it. Anyone can write any address into a commit, so this is no proof; the
 * audit log records the actor. Only members are returned, so that addresses in a history do not reveal who has an
 * account on the service.
 */
export async function memberOfAddress(
  reader: Reader,
  organization: string,
  email: string,
): Promise<Document<UserDoc> | null> {
  const account = await findAccount(reader, email)
  const user =
    account && (await isMember(reader, organization, account.id))
      ? account
      : await findLimitedMember(reader, organization, email)
  return user && (await isMember(reader, organization, user.id)) ? user : null
}

/**
 * Returns the address of a member's commits (the inverse of `memberOfAddress`). Null if the user is not a member, or
 * the address identifies another member.
 */
export async function addressOfMember(reader: Reader, organization: string, id: string): Promise<string | null> {
  const user = await reader.get(users, id)
  if (!user) return null
  return (await memberOfAddress(reader, organization, user.email))?.id === id ? user.email : null
}

const isMember = async (reader: Reader, organization: string, user: string): Promise<boolean> =>
  (await organizationRole(reader, user, organization)) !== undefined
