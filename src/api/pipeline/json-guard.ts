/** Rejects JSON bodies with dangerous content, such as NUL characters or `__proto__` keys, before handlers see them. */
import { badRequest, type ErrorDetail } from '../../kernel/errors.js'

const wellFormed = (text: string): boolean => text.isWellFormed()

/** A fault, and the names from its position up to the root. It is only built if there is a fault. */
interface Fault {
  sentence: string
  message: string
  path: (string | number)[]
}

const faultOf = (text: string): Fault | null =>
  text.includes('\0')
    ? { sentence: 'The body contains a NUL character.', message: 'must not contain the character U+0000', path: [] }
    : wellFormed(text)
      ? null
      : { sentence: 'The body contains half of a surrogate pair.', message: 'must be well-formed Unicode', path: [] }

const under = (name: string | number, fault: Fault): Fault => {
  fault.path.push(name)
  return fault
}

/** Searches a value for a fault. `JsonScan` has limited its depth. */
function find(value: unknown): Fault | null {
  if (typeof value === 'string') return faultOf(value)
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const fault = find(value[i])
      if (fault) return under(i, fault)
    }
    return null
  }
  for (const key in value) {
    const own = faultOf(key)
    if (own) return own
    if (key === '__proto__')
      return {
        sentence: 'The body has a member named "__proto__".',
        message: 'must not have a member "__proto__"',
        path: [],
      }
    const fault = find(Reflect.get(value, key))
    if (fault) return under(key, fault)
  }
  return null
}

/**
 * Rejects parsed JSON that no handler should receive: NUL characters, unpaired surrogates and `__proto__` keys.
 * Allocates memory only for a fault. Throws 400 with its path.
 */
export function guardJson(root: unknown): void {
  const fault = find(root)
  if (!fault) return
  const details: ErrorDetail[] = [
    {
      path: fault.path
        .reverse()
        .map((name) => `/${name}`)
        .join(''),
      message: fault.message,
    },
  ]
  throw badRequest(fault.sentence, details)
}
