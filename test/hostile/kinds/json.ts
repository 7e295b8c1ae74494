import { fill, type Kind, lines } from './kind.js'

/** JSON that does not match the schema, for every endpoint that reads a body. */
export const json: Kind[] = [
  { name: 'arrays nested', make: (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2) },
  { name: 'arrays left open', make: (bytes) => fill('[', bytes) },
  {
    name: 'objects nested',
    make: (bytes) => `${fill('{"a":', bytes - bytes / 6)}1${fill('}', bytes / 6 - 1)}`.slice(0, bytes),
  },
  { name: 'one array of numbers', make: (bytes) => `[${fill('1,', bytes - 4)}1]` },
  { name: 'one array of empty objects', make: (bytes) => `[${fill('{},', bytes - 5)}{}]` },
  { name: 'unknown members', make: (bytes) => `{${lines(bytes - 20, (number) => `"k${number}":${number},`)}"z":0}` },
  { name: 'equal members', make: (bytes) => `{${fill('"a":1,', bytes - 20)}"a":1}` },
  { name: 'one text', make: (bytes) => JSON.stringify({ email: fill('a', bytes - 20) }) },
  { name: 'a text of escapes', make: (bytes) => `{"email":"${fill('\\u0000', bytes - 20)}"}` },
  { name: 'a number of many digits', make: (bytes) => `{"email":${fill('9', bytes - 12)}}` },
  { name: '__proto__', make: (bytes) => `{${fill('"__proto__":{"a":1},', bytes - 20)}"a":1}` },
  {
    name: 'a nested member that the schema knows',
    make: (bytes) => `{"changes":${'['.repeat(bytes / 2 - 10)}${']'.repeat(bytes / 2 - 10)}}`,
  },
  { name: 'changes beyond count', make: (bytes) => `{"changes":[${fill('{"operation":"x"},', bytes - 40)}{}]}` },
]

/** Bodies of forms, with the boundary `edge`. */
export const forms: Kind[] = [
  {
    name: 'parts',
    make: (bytes) =>
      `${lines(bytes - 20, (n) => `--edge\r\nContent-Disposition: form-data; name="p${n}"\r\n\r\nv\r\n`)}--edge--\r\n`,
  },
  {
    name: 'files',
    make: (bytes) =>
      `${lines(bytes - 20, (n) => `--edge\r\nContent-Disposition: form-data; name="p${n}"; filename="f${n}"\r\n\r\nv\r\n`)}--edge--\r\n`,
  },
  {
    name: 'a part without an end',
    make: (bytes) => `--edge\r\nContent-Disposition: form-data; name="changes"\r\n\r\n${fill('a', bytes - 80)}`,
  },
  {
    name: 'a header without an end',
    make: (bytes) => `--edge\r\nContent-Disposition: form-data; name="${fill('a', bytes - 80)}`,
  },
  {
    name: 'headers of one part',
    make: (bytes) => `--edge\r\n${lines(bytes - 60, (n) => `X-${n}: a\r\n`)}\r\nv\r\n--edge--\r\n`,
  },
  { name: 'boundaries begun', make: (bytes) => fill('\r\n--edg', bytes) },
  {
    name: 'changes nested',
    make: (bytes) =>
      `--edge\r\nContent-Disposition: form-data; name="changes"\r\n\r\n${'['.repeat(bytes - 120)}\r\n--edge--\r\n`,
  },
  {
    name: 'parts of one name',
    make: (bytes) =>
      `${fill('--edge\r\nContent-Disposition: form-data; name="changes"\r\n\r\n[]\r\n', bytes - 20)}--edge--\r\n`,
  },
]
