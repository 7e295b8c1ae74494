/** Limits the characters that a run may send, and counts the characters per month. */
import { translations } from '../../model/index.js'
import type { Allowance } from './needs.js'
import type { Run } from './run-types.js'

const monthOf = (at: Date): string => at.toISOString().slice(0, 7)

/** Returns the allowance of a run: the server's limit and, for automatic runs, the rest of the monthly budget. */
export function allowanceOf({ app, doc, automatic }: Pick<Run, 'app' | 'doc' | 'automatic'>): Allowance {
  const month = monthOf(app.clock.now())
  const spent = doc.spent?.month === month ? doc.spent.characters : 0
  const maxCharacters = app.settings.translationCharacters
  const limit: Allowance['limit'] = [
    {
      characters: maxCharacters,
      reason: (needed) =>
        `This run would send ${needed} characters, but the server allows ${maxCharacters} per run. Nothing was sent.`,
    },
  ]
  if (automatic && doc.automatic) {
    const left = Math.max(0, doc.automatic.charactersPerMonth - spent)
    const reason = (needed: number): string =>
      `This run would send ${needed} characters, but only ${left} of the ${doc.automatic?.charactersPerMonth} for automatic runs in ${month} are left. Nothing was sent. Raise the budget, or run the translation on demand.`
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
