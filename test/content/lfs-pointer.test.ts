import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { readPointer } from '../../src/content/lfs-pointer.js'
import { suite } from '../support/suite.js'

const test = suite('pointers of Git LFS')
const OID = 'a'.repeat(64)
const SPEC = 'version https://git-lfs.github.com/spec/v1'
const read = (text: string) => readPointer(Buffer.from(text))
const written = { oid: OID, size: 12345 }

test('pointers that git lfs reads are recognized', () => {
  for (const text of [
    `${SPEC}\noid sha256:${OID}\nsize 12345\n`,
    `${SPEC}\noid sha256:${OID}\nsize 12345`,
    `${SPEC}\r\noid sha256:${OID}\r\nsize 12345\r\n`,
    `version https://hawser.github.com/spec/v1\noid sha256:${OID}\nsize 12345\n`,
    `version http://git-media.io/v/2\noid sha256:${OID}\nsize 12345\n`,
  ])
    assert.equal(read(text), written, text)
  assert.equal(read(`${SPEC}\noid sha256:${OID}\nsize 9007199254740991\n`)?.size, Number.MAX_SAFE_INTEGER)
  const pool = Buffer.from(`....${SPEC}\noid sha256:${OID}\nsize 12345\n....`)
  assert.equal(readPointer(pool.subarray(4, pool.length - 4)), written, 'a view of a larger buffer')
})

test('content that is not a valid pointer is an ordinary file', () => {
  for (const text of [
    '',
    `${SPEC}\n`,
    `${SPEC}\noid sha256:${OID}\n`,
    `${SPEC}\noid sha256:${OID}\nsize -1\n`,
    `${SPEC}\noid sha256:${OID}\nsize 1e3\n`,
    `${SPEC}\noid sha256:${OID}\nsize 9007199254740993\n`,
    `${SPEC}\noid sha256:${OID}\nsize ${'9'.repeat(30)}\n`,
    `${SPEC}\noid sha256:${OID.toUpperCase()}\nsize 1\n`,
    `${SPEC}\noid sha256:${OID.slice(1)}\nsize 12345678\n`,
    `${SPEC}\noid sha256:../../../../etc/passwd${'a'.repeat(40)}\nsize 1\n`,
    `${SPEC}\noid sha1:${OID}\nsize 12345\n`,
    `${SPEC}\noid sha256:${OID}\noid sha256:${OID}\nsize 1\n`,
    `${SPEC}\noid sha256:${OID}\nsize 1\nsize 2\n`,
    `${SPEC}\nsize 12345\noid sha256:${OID}\n`,
    `${SPEC}\next-0-foo sha256:${OID}\noid sha256:${OID}\nsize 12345\n`,
    `version https://example.org/spec/v1${' '.repeat(3)}\noid sha256:${OID}\nsize 12345\n`,
    `# A page about\n${SPEC}\noid sha256:${OID}\nsize 12345\n`,
    `${SPEC}\noid sha256:${OID}\nsize 12345\n${'x'.repeat(1000)}`,
    `${SPEC}\noid sha256:${OID}\nsize 12345${'\n'.repeat(1000)}`,
  ])
    assert.is(read(text), null, text)
})

test('the pointer parser never throws', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1100 }), fc.nat(300), (noise, at) => {
      const bytes = Buffer.from(`${SPEC}\noid sha256:${OID}\nsize 12345\n`)
      bytes.set(noise.subarray(0, Math.max(0, bytes.length - (at % bytes.length))), at % bytes.length)
      readPointer(noise)
      const found = readPointer(bytes)
      return found === null || /^[0-9a-f]{64}$/.test(found.oid)
    }),
  )
})

test.run()
