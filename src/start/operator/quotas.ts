/** The operator's command for the quotas of an organization. */
import type { App } from '../../domain/context/app.js'
import { usageOf } from '../../domain/context/quotas.js'
import { badRequest } from '../../kernel/errors.js'
import { organizations, type QuotaName, quotaNames } from '../../model/index.js'
import { noOrganization } from './actors.js'
import type { Outcome } from './declaration.js'

/** The word for a quota without a limit, and the one for the limit of the settings. */
const [NONE, DEFAULT] = ['none', 'default']

export type QuotaValues = { readonly [name in QuotaName]: string | undefined }

/** Whether a command changes quotas, instead of only listing them. */
export const changesQuotas = (given: QuotaValues): boolean => quotaNames.some((name) => given[name] !== undefined)

/** Returns the new limit; 0 = none, undefined = that of the settings. Throws 400. */
function limitOf(name: QuotaName, text: string): number | undefined {
  if (text === DEFAULT) return undefined
  if (text === NONE) return 0
  const limit = Number(text)
  if (!/^\d+$/.test(text) || limit === 0 || !Number.isSafeInteger(limit))
    throw badRequest(`--${name} ${text}: use a whole number from 1, \`${NONE}\` or \`${DEFAULT}\`.`)
  return limit
}

/** Sets the given quotas of an organization, and lists the use and the limit of all. Throws 400, 404. */
export async function setQuotas(app: App, given: QuotaValues & { organization: string }): Promise<Outcome> {
  const { organization } = given
  const changes = quotaNames.flatMap((name) => {
    const text = given[name]
    return text === undefined ? [] : [[name, limitOf(name, text)] as const]
  })
  await app.store.transact(async (tx) => {
    const doc = await tx.get(organizations, organization)
    if (!doc) throw noOrganization(organization)
    if (changes.length === 0) return
    const all = { ...doc.quotas, ...Object.fromEntries(changes) }
    const quotas = Object.fromEntries(Object.entries(all).filter(([, limit]) => limit !== undefined))
    const { quotas: _before, ...rest } = doc
    await tx.replace(organizations, Object.keys(quotas).length === 0 ? rest : { ...rest, quotas })
  })
  const usage = await usageOf(app, organization)
  const lines = quotaNames.map((name) => {
    const { used, allowed } = usage[name]
    return `${name}  ${used} of ${allowed ?? 'any number'}`
  })
  return {
    text: lines.join('\n'),
    json: { organization, ...usage },
    problems: quotaNames.some((name) => usage[name].used > (usage[name].allowed ?? Number.POSITIVE_INFINITY)),
  }
}
