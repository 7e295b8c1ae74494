/** Writes the mail with which a guest confirms a suggestion. Nothing in it is written by the guest. */
import { hashToken, newToken } from '../../auth/index.js'
import { organizations, siteSuggestions, sites } from '../../model/index.js'
import type { Mail } from '../../outbound/index.js'
import type { App } from '../context/app.js'
import { publishedSite } from '../sites/addresses.js'
import { isOver, takesGuests } from './receive.js'

/**
 * Writes the mail, with a new secret whose hash is stored. If the mail is sent again, only the last link works. Null if
 * the suggestion was confirmed, or the site no longer takes suggestions of guests.
 */
export async function writeSuggestionMail(app: App, id: string): Promise<Mail | null> {
  const secret = newToken()
  const written = await app.store.transact(async (tx) => {
    const stored = await tx.get(siteSuggestions, id)
    if (!stored?.author || stored.state !== 'unconfirmed' || isOver(app, stored)) return null
    const site = await tx.get(sites, stored.site)
    const organization = site && (await tx.get(organizations, site.organization))
    if (!site || !organization || !takesGuests(app, site)) return null
    const address = publishedSite({ app, organization, site })
    if (address === undefined) return null
    await tx.replace(siteSuggestions, { ...stored, hash: hashToken(secret) })
    return { address, to: stored.author.email, expiresAt: stored.expiresAt }
  })
  if (!written) return null
  const { address, to, expiresAt } = written
  return {
    to,
    subject: 'Confirm your suggestion',
    text: [
      `This address was entered at ${address} to suggest a change to a page.`,
      '',
      `Confirm: ${address}/~suggest?confirm=${secret}`,
      '',
      `The link works once, until ${expiresAt}. If you did not suggest a change, do nothing: without the confirmation, the suggestion and this address are deleted.`,
      '',
    ].join('\n'),
  }
}
