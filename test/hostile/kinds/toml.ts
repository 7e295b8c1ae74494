import { around, fill, type Kind, lines } from './kind.js'

/** TOML for `book.toml`. */
export const toml: Kind[] = [
  { name: 'lists nested', make: (bytes) => `a = ${around('[', '1', ']', bytes - 8)}\n` },
  { name: 'tables left open', make: (bytes) => `a = ${fill('{a = ', bytes - 8)}\n` },
  { name: 'one dotted key', make: (bytes) => `${fill('a.', bytes - 8)}b = 1\n` },
  { name: 'dotted keys', make: (bytes) => lines(bytes, (number) => `a.b.c.k${number} = 1\n`) },
  { name: 'headers of deep tables', make: (bytes) => lines(bytes, (number) => `[${'a.'.repeat(100)}k${number}]\n`) },
  { name: 'tables of a list', make: (bytes) => fill('[[book]]\n', bytes) },
  { name: 'a text left open', make: (bytes) => `[book]\nsrc = """${fill('"" ', bytes - 20)}` },
  { name: 'a list of numbers', make: (bytes) => `a = [${fill('1,', bytes - 10)}]\n` },
  { name: 'keys', make: (bytes) => lines(bytes, (number) => `k${number} = 1\n`) },
]
