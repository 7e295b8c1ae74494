/**
 * Finds the email address and the name of a person among the attributes of an assertion, under common attribute names.
 */
import { required } from '../../kernel/defined.js'
import { ASSERTION } from './structure.js'
import { attribute, children, named } from './xml.js'

const ADDRESSES: ReadonlySet<string> = new Set([
  'email',
  'mail',
  'emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
])
const WHOLE_NAMES = [
  'displayname',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'http://schemas.microsoft.com/identity/claims/displayname',
  'name',
  'cn',
]
const GIVEN = [
  'givenname',
  'firstname',
  'urn:oid:2.5.4.42',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
]
const FAMILY = [
  'surname',
  'sn',
  'lastname',
  'urn:oid:2.5.4.4',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
]
const NAME = 100

/** Returns the values of the attributes by lowercase name. */
function values(statements: readonly Element[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const one of statements.flatMap((statement) => named(statement, ASSERTION, 'Attribute'))) {
    const name = (attribute(one, 'Name') ?? '').toLowerCase()
    const texts = named(one, ASSERTION, 'AttributeValue').filter((value) => children(value).length === 0)
    found.set(name, [...(found.get(name) ?? []), ...texts.map((value) => (value.textContent ?? '').trim())])
  }
  return found
}

/**
 * Returns the address in lowercase; null if there is none or more than one. `nameId`: the NameID, if it is an address.
 */
export function addressOf(statements: readonly Element[], nameId: string | null): string | null {
  const given = [...values(statements)]
    .flatMap(([name, texts]) => (ADDRESSES.has(name) ? texts : []))
    .filter((text) => text !== '')
  const distinct = new Set(
    (given.length > 0 ? given : nameId === null ? [] : [nameId]).map((text) => text.toLowerCase()),
  )
  const [address] = distinct
  return distinct.size === 1 ? required(address) : null
}

/** Returns the person's name: a full name, else given and family name; null if there is none. */
export function nameOf(statements: readonly Element[]): string | null {
  const found = values(statements)
  const first = (names: readonly string[]): string =>
    names.map((name) => found.get(name)?.[0] ?? '').find((text) => text !== '') ?? ''
  const name = first(WHOLE_NAMES) || `${first(GIVEN)} ${first(FAMILY)}`
  const plain = [...name.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()].slice(0, NAME).join('')
  return plain === '' ? null : plain
}
