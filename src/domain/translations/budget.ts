/** How many characters a run may send, and how many were sent in a month. */
import { translations } from '../../model/index.js'
import type { Allowance } from './needs.js'
import type { Run } from './run-types.js'

const monthOf = (at: Date): string => at.toISOString().slice(0, 7)

/** The allowance of a run: that of the server, and for automatic runs what is left of the month. */
export function allowanceOf({ app, doc, automatic }: Pick<Run, 'app' | 'doc' | 'automatic'>): Allowance {
  const month = monthOf(app.clock.now())
  const spent = doc.spent?.month === month ? doc.spent.characters : 0
  const most = app.settings.translationCharacters
  const limit: Allowance['limit'] = [
    {
      characters: most,
      reason: (needed) =>
        `This run would send ${needed} characters; the server allows ${most} for one run. Nothing was sent.`,
    },
  ]
  if (automatic && doc.automatic) {
    const left = Math.max(0, doc.automatic.charactersPerMonth - spent)
    const reason = (needed: number): string =>
      `This run would send ${needed} characters, and ${left} are left of the ${doc.automatic?.charactersPerMonth} that automatic runs may send in ${month}. Nothing was sent. Raise the budget, or run the translation on demand.`
    limit.push({ characters: left, reason })
  }
  return {
    limit,
    async spent(characters) {
      if (characters === 0) return
      await app.store.transact(async (tx) => {
        const stored = await tx.get(translations, doc.id)
        const before = stored?.spent?.month === month ? stored.spent.characters : 0
        if (stored) await tx.replace(translations, { ...stored, spent: { month, characters: before + characters } })
      })
    },
  }
}
