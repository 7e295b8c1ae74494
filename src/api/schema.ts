/** Schema types of the API: plain JSON Schema, and the body of errors. */
import { OptionalKind, Type } from '@sinclair/typebox'

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = Record<string, unknown>

/** Whether a schema was created by `Type.Optional(…)`. */
export const isOptional = (schema: object): boolean => OptionalKind in schema

/** The body of every error. */
export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      code: Type.Integer({ description: 'The HTTP status.' }),
      message: Type.String({ description: 'The problem and the remedy.' }),
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
