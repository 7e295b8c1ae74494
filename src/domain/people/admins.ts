/** Ensures that an organization always has an admin who can sign in. */
import { conflict, ServiceError } from '../../kernel/errors.js'
import { type MembershipDoc, memberships } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import { organizationRole, requiresSso } from '../roles/access.js'

/** Throws 403 unless the caller is currently an admin of the organization. */
export async function requireAdmin(tx: Transaction, actor: Actor, organization: string): Promise<void> {
  if ((await organizationRole(tx, actor.user.id, organization)) !== 'admin')
    throw new ServiceError('forbidden', 'Only an admin of the organization may change or remove other members.')
}

const isActiveAdmin = ({ role, disabled }: Pick<MembershipDoc, 'role' | 'disabled'>): boolean =>
  role === 'admin' && !disabled

/** Whether a member is an active admin who can sign in without single sign-on, and so can repair it. */
export const isLastResort = (member: MembershipDoc): boolean =>
  isActiveAdmin(member) && !requiresSso({ sso: false }, member)

/** Throws 409 unless another admin can sign in without single sign-on. */
export async function requireOtherAdmin(tx: Transaction, member: Document<MembershipDoc>): Promise<void> {
  const others = (await tx.find(memberships, 'organization', member.organization)).filter(
    (other) => other.id !== member.id && isActiveAdmin(other),
  )
  if (others.some(isLastResort)) return
  throw conflict(
    others.length === 0
      ? 'This is the last admin of the organization. Make another member an admin first.'
      : 'This is the last admin who can sign in without single sign-on and repair it. Give another member this access first.',
  )
}
