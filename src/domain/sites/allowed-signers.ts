/** The keys whose signatures on commits an organization accepts, and the addresses that they belong to. */
import { notFound } from '../../kernel/errors.js'
import { allowedSigners, type AllowedSignersDoc, organizations } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { emit } from '../events/events.js'
import { parseSigners } from './signer-list.js'

/** Returns the list of an organization; null if it has none. */
export const findAllowedSigners = (reader: Reader, organization: string): Promise<Document<AllowedSignersDoc> | null> =>
  reader.get(allowedSigners, organization)

/** Replaces the list of an organization. Throws 400 with the numbers of invalid lines. */
export async function replaceAllowedSigners(
  app: App,
  actor: Actor,
  { doc: { id } }: LoadedOrganization,
  signers: string,
): Promise<Document<AllowedSignersDoc>> {
  parseSigners(signers)
  return app.store.transact(async (tx) => {
    if (!(await tx.get(organizations, id))) throw notFound('The organization')
    const stored = await tx.get(allowedSigners, id)
    if (stored?.signers === signers) return stored
    const updatedAt = app.clock.now().toISOString()
    await emit(app, tx, {
      type: 'organization.updated',
      organization: id,
      actor: actor.user.id,
      subject: {},
      data: { changed: ['allowedSigners'] },
    })
    return stored
      ? tx.replace(allowedSigners, { ...stored, signers, updatedAt })
      : tx.insert(allowedSigners, { id, signers, updatedAt })
  })
}
