/** Texts with a number, by the plural rules of a language. */

/** The texts for the forms that a language has. `{count}` is filled in. */
type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

/** Returns a function that puts a number into the right text. */
export function plural(locale: string, forms: PluralForms): (count: number) => string {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  return (count) => (forms[rules.select(count)] ?? forms.other).replace('{count}', numbers.format(count))
}
