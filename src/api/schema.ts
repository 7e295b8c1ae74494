import { OptionalKind, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = Record<string, unknown>

/** The query members of every list: `page` (opaque cursor) and `limit` (default 50, 0 to 1000). */
export const pageQuery = {
  page: Type.Optional(Type.String({ description: 'Cursor: `next.page` of the previous response.', maxLength: 2000 })),
  limit: Type.Integer({ minimum: 0, maximum: 1000, default: 50, description: 'Maximum number of items.' }),
}

/** A query: its members; the ones not declared are ignored. */
export const query = <P extends TProperties>(members: P): TObject<P> => Type.Object(members)

/** A paged list's query: `page`, `limit` and what else is given. */
export const listQuery = <P extends TProperties>(members: P): TObject<P & typeof pageQuery> => Type.Object({ ...members, ...pageQuery })

/** A string enum: `oneOf(['asc', 'desc'])`. */
export const oneOf = <const V extends readonly string[]>(values: V, options: { default?: V[number]; description?: string; $id?: string } = {}) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options })

/** The list envelope; `count` is the total that matches. */
export const listOf = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    count: Type.Integer({ minimum: 0, description: 'Total number of matches.' }),
    next: Type.Optional(Type.Object({ page: Type.String({ description: 'Cursor of the next page; absent on the last one.' }) })),
  })

/** Whether a schema was made by `Type.Optional(…)`. */
export const isOptional = (schema: object): boolean => OptionalKind in schema

/** The body of every error. */
export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      code: Type.Integer({ description: 'The HTTP status.' }),
      message: Type.String({ description: 'One sentence.' }),
      details: Type.Optional(
        Type.Array(
          Type.Object({
            path: Type.String({ description: 'JSON pointer into the body, or `query/<name>`.' }),
            message: Type.String(),
          }),
        ),
      ),
      paths: Type.Optional(Type.Array(Type.String(), { description: 'Files in conflict.' })),
    }),
  },
  { $id: 'Error' },
)
