import { badRequest } from '../../kernel/errors.js'

const MAX_DEPTH = 100

const wellFormed = (text: string): boolean => (text as string & { isWellFormed(): boolean }).isWellFormed()

function checkText(text: string, where: () => string): void {
  if (text.includes('\0')) throw badRequest('The body has a NUL character.', [{ path: where(), message: 'must not have the character U+0000' }])
  if (!wellFormed(text)) throw badRequest('The body has half a surrogate pair.', [{ path: where(), message: 'must be well-formed Unicode' }])
}

/**
 * Refuses what parsed JSON may hold and nothing behind should meet: NUL, halves of surrogate pairs, `__proto__` keys,
 * and nesting that would exhaust the stack of whoever recurses. Answers the number of values. Throws 400.
 */
export function guardJson(root: unknown): number {
  let count = 0
  let level: { value: unknown; path: string }[] = [{ value: root, path: '' }]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw badRequest(`The body is nested more than ${MAX_DEPTH} levels deep.`)
    const next: typeof level = []
    for (const { value, path } of level) {
      count++
      if (typeof value === 'string') checkText(value, () => path)
      else if (Array.isArray(value)) for (let i = 0; i < value.length; i++) next.push({ value: value[i], path: `${path}/${i}` })
      else if (typeof value === 'object' && value !== null) {
        for (const key of Object.keys(value)) {
          checkText(key, () => path)
          if (key === '__proto__') throw badRequest('The body has a member named "__proto__".', [{ path, message: 'must not have a member "__proto__"' }])
          next.push({ value: (value as Record<string, unknown>)[key], path: `${path}/${key}` })
        }
      }
    }
    level = next
  }
  return count
}
