/** Large specifications of sizes that a test chooses: schema cycles, many files, much YAML. */

/** Schemas that refer to each other in cycles of different lengths, each with an operation. */
export function circles(count: number): string {
  const name = (at: number): object => ({ $ref: `#/components/schemas/S${at % count}` })
  const schemas = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `S${at}`,
      {
        type: 'object',
        properties: { next: name(at + 1), far: { type: 'array', items: name(at * 7 + 3) }, self: name(at) },
        ...(at % 5 === 0 ? { allOf: [name(at + 2)] } : {}),
      },
    ]),
  )
  const paths = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `/s${at}`,
      {
        get: {
          summary: `Circle ${at}`,
          tags: [`Tag ${at % 5}`],
          responses: { 200: { description: 'x', content: { 'application/json': { schema: name(at) } } } },
        },
      },
    ]),
  )
  return JSON.stringify({ openapi: '3.1.0', info: { title: 'Circles', version: '1' }, paths, components: { schemas } })
}

/**
 * Files by path: one file refers to a file for each path. These refer to schema files in their own folders, in cycles.
 */
export function manyFiles(count: number): Record<string, string> {
  const files: Record<string, string> = {}
  for (let at = 0; at < count; at++) {
    files[`paths/p${at}.yaml`] =
      `get:\n  summary: Many ${at}\n  tags: [Many]\n  responses:\n    200:\n      description: x\n      content:\n        application/json:\n          schema: {$ref: ../schemas/s${at}.yaml}\n`
    files[`schemas/s${at}.yaml`] =
      `type: object\nproperties:\n  next: {$ref: ./s${(at + 1) % count}.yaml}\n  back: {$ref: "./s${(at + count - 1) % count}.yaml#/properties/name"}\n  name: {type: string}\n`
  }
  const paths = Array.from({ length: count }, (_, at) => `  /many/${at}: {$ref: paths/p${at}.yaml}\n`).join('')
  return { ...files, 'many.yaml': `openapi: 3.0.3\ninfo: {title: Many files, version: "1"}\npaths:\n${paths}` }
}

/** A YAML text of about this many bytes. */
export function muchYaml(bytes: number): string {
  const parts = ['openapi: 3.0.3\ninfo: {title: Large, version: "1"}\npaths:\n']
  const operation = (at: number): string => `  /r${at}/{id}:
    get:
      operationId: get${at}
      summary: Gets the resource ${at}, which is one of a great many of them.
      tags: [Tag ${at % 40}]
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
      responses:
        200:
          description: >
            The resource ${at}, as it was when it was asked for, with all that belongs to it. ${'It has many words. '.repeat(20)}
          content:
            application/json:
              schema: {type: object, properties: {a: {type: string, enum: [a, b, c]}, b: {type: integer, format: int64}}}
`
  for (let length = 0, at = 0; length < bytes; at++) length += parts[parts.push(operation(at)) - 1]?.length ?? 0
  return parts.join('')
}
