// Schemas that many resources share.
import { type TSchema, Type } from '@sinclair/typebox'

/** For objects that clients send: undeclared members are rejected. */
export const closed = { additionalProperties: false } as const

export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601 date and time.' })
export const Id = Type.String({ minLength: 1, maxLength: 64, description: 'Unique ID.' })

/** Maximum length of the text of one file, in characters. Longer pages cannot be displayed. */
export const MAX_TEXT_LENGTH = 10 * 1024 * 1024

/** Roles from the least to the most powerful. Each includes those before it. */
export const roles = ['read', 'comment', 'edit', 'review', 'create', 'admin'] as const
export type Role = (typeof roles)[number]

/** Returns an enum of strings, as `{"type": "string", "enum": […]}`. */
export const oneOf = <const V extends readonly string[]>(
  values: V,
  options: { description?: string; default?: V[number]; $id?: string } = {},
) => Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options })

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const RoleSchema = oneOf(roles, {
  $id: 'Role',
  description: 'The actions that a person can take on content. Each role includes the ones before it.',
})

/** A default level: a role, null (no access by default), or `inherit` from the collection, then the organization. */
export const DefaultLevel = Type.Union([RoleSchema, Type.Literal('inherit'), Type.Null()], {
  description:
    'Default level of access to content: a role, null (no access by default), or `inherit` (from the collection, then the organization).',
})
export type DefaultLevel = Role | 'inherit' | null

const languages = [
  'en',
  'fr',
  'de',
  'es',
  'it',
  'pt',
  'pt-br',
  'ru',
  'ja',
  'zh',
  'yue',
  'ko',
  'ar',
  'hi',
  'nl',
  'pl',
  'tr',
  'sv',
  'no',
  'da',
  'fi',
  'el',
  'cs',
  'hu',
  'ro',
  'th',
  'vi',
  'id',
  'ms',
  'he',
  'uk',
  'sk',
  'bg',
  'hr',
  'lt',
  'lv',
  'et',
  'sl',
] as const
export const Language = oneOf(languages, { $id: 'Language' })
export type Language = (typeof languages)[number]

/** The query parameters that all paged lists share. */
export const pageQuery = {
  page: Type.Optional(Type.String({ maxLength: 2048, description: 'Cursor: `next.page` of the previous response.' })),
  limit: Type.Integer({ minimum: 0, maximum: 1000, default: 50, description: 'Maximum number of items per page.' }),
}

/** Returns the list schema for items of `schema`. */
export const listOf = <T extends TSchema>(schema: T, options: { $id?: string } = {}) =>
  Type.Object(
    {
      items: Type.Array(schema),
      count: Type.Integer({ minimum: 0, description: 'Total number of matches.' }),
      next: Type.Optional(Type.Object({ page: Type.String() })),
    },
    options,
  )

/** Returns the schema of an object of booleans: the actions that the caller may take. */
export const permissionsOf = <const K extends readonly string[]>(keys: K) =>
  Type.Unsafe<Record<K[number], boolean>>(
    Type.Object(Object.fromEntries(keys.map((key) => [key, Type.Boolean()])), closed),
  )
