/**
 * Small specifications with the peculiarities of large third-party ones, by file name and with the extension by which
 * they are served.
 */

const ok = { 200: { description: 'Fine.' } }
const json = (schema: object, more: object = {}) => ({ 'application/json': { schema, ...more } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** `Level1` consists of `Level2` and more, and so on. */
const tower = Object.fromEntries(
  Array.from({ length: 15 }, (_, at) => [
    `Level${at}`,
    {
      allOf: [
        at === 14 ? { type: 'object' } : ref(`Level${at + 1}`),
        { type: 'object', required: [`own${at}`], properties: { [`own${at}`]: { type: 'string' } } },
      ],
    },
  ]),
)

/**
 * In the style of payment services: expandable members, unions with discriminators, extensions everywhere, empty
 * descriptions.
 */
const unions = {
  openapi: '3.0.0',
  info: { title: 'Unions', version: '2020-08-27', 'x-logo': { url: 'https://example.com/logo.png' } },
  servers: [
    {
      url: 'https://{tenant}.example.com:{port}/v1',
      variables: { tenant: { default: 'a' }, port: { default: '443', enum: ['443', '8443'] } },
    },
  ],
  'x-tagGroups': [{ name: 'All', tags: ['Core'] }],
  paths: {
    'x-path-extension': 'is no path',
    '/v1/charges/{charge}': {
      'x-internal': false,
      parameters: [{ $ref: '#/components/parameters/Charge' }],
      get: {
        operationId: 'GetChargesCharge',
        description: '',
        'x-codeSamples': [{ lang: 'curl', source: 'curl {% x %} {{ y }}' }],
        parameters: [
          {
            name: 'expand',
            in: 'query',
            style: 'deepObject',
            explode: true,
            schema: { type: 'array', items: { type: 'string', maxLength: 5000 } },
          },
        ],
        responses: {
          200: { description: 'A charge.', content: json(ref('Charge')) },
          default: { $ref: '#/components/responses/Error' },
        },
      },
      post: {
        operationId: 'PostChargesCharge',
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              encoding: { metadata: { explode: true, style: 'deepObject' } },
              schema: {
                type: 'object',
                properties: {
                  metadata: {
                    anyOf: [
                      { additionalProperties: { type: 'string' }, type: 'object' },
                      { enum: [''], type: 'string' },
                    ],
                  },
                },
              },
            },
          },
        },
        callbacks: {
          onEvent: {
            '{$request.body#/callbackUrl}': { post: { requestBody: { content: json(ref('Charge')) }, responses: ok } },
          },
        },
        responses: {
          200: {
            description: 'A charge.',
            content: json(ref('Charge'), { example: { id: 7, amount: 'not a number', unknown: null } }),
          },
        },
      },
    },
    '/v1/charges': { $ref: '#/paths/~1v1~1charges~1{charge}' },
  },
  components: {
    parameters: { Charge: { in: 'path', name: 'charge', required: true, schema: { type: 'string' } } },
    responses: {
      Error: {
        description: 'An error.',
        headers: { 'Request-Id': { $ref: '#/components/headers/RequestId' } },
        content: json(ref('Deep')),
      },
    },
    headers: { RequestId: { schema: { type: 'string' } } },
    schemas: {
      Charge: {
        type: 'object',
        'x-expandableFields': ['customer'],
        required: ['id', 'missing'],
        properties: {
          id: { type: 'string', nullable: true, minimum: 0, exclusiveMinimum: true },
          customer: {
            anyOf: [{ type: 'string' }, ref('Customer')],
            nullable: true,
            'x-expansionResources': { oneOf: [ref('Customer')] },
          },
          currency: { type: 'string', enum: Array.from({ length: 5_000 }, (_, at) => `C${at}`) },
          source: {
            oneOf: [ref('Card'), ref('Bank')],
            allOf: [ref('Base')],
            discriminator: { propertyName: 'object', mapping: { card: '#/components/schemas/Card', bank: 'Bank' } },
          },
          tower: ref('Level0'),
        },
      },
      Customer: {
        type: 'object',
        properties: { default: { anyOf: [ref('Charge'), { type: 'string' }] }, id: { type: 'string', example: 42 } },
      },
      Base: { type: 'object', required: ['object'], properties: { object: { type: 'string' } } },
      Card: {
        allOf: [ref('Base'), { type: 'object', properties: { number: { type: 'string', pattern: '^[0-9|`*]+$' } } }],
      },
      Bank: { allOf: [ref('Base')], not: { type: 'string' } },
      Deep: { type: 'object', additionalProperties: { type: 'array', items: { type: 'array', items: ref('Deep') } } },
      ...tower,
    },
  },
}

/** OpenAPI 3.1 without a path: webhooks, boolean schemas, lists of types, path items and schemas of JSON Schema. */
const schemas31 = {
  openapi: '3.1.0',
  info: { title: 'Schemas', summary: 'All of them', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
  jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
  webhooks: {
    born: { post: { requestBody: { content: json(ref('Anything')) }, responses: ok } },
    died: { $ref: '#/components/pathItems/Died' },
  },
  components: {
    pathItems: { Died: { post: { summary: 'A pet died', responses: ok } } },
    schemas: {
      Anything: true,
      Nothing: false,
      Again: ref('Anything'),
      Pet: {
        $id: 'https://example.com/pet',
        type: ['object', 'null'],
        $defs: { name: { type: 'string' }, all: true },
        properties: {
          any: ref('Anything'),
          none: ref('Nothing'),
          again: ref('Again'),
          own: true,
          never: false,
          size: { exclusiveMinimum: 1, exclusiveMaximum: 9 },
        },
        prefixItems: [true, { type: 'string' }],
        items: false,
        patternProperties: { '^x-': true },
        dependentSchemas: { own: true },
        if: true,
        // biome-ignore lint/suspicious/noThenProperty: it is a member of JSON Schema
        then: { properties: { extra: true } },
        anyOf: [true, { not: false }],
        unevaluatedProperties: false,
        nullable: true,
        ownKeyword: { of: ['somebody'] },
        contentMediaType: 'application/json',
        contentSchema: true,
        examples: [1, 'not a pet', null],
        const: { deep: [{}] },
      },
    },
  },
}

/** Paths with difficult names, and operations that are hard to tell apart. */
const paths = {
  openapi: '3.1.0',
  info: { title: 'Paths', version: '1' },
  paths: Object.fromEntries(
    [
      '/',
      '//',
      '/a/',
      '/a',
      '/a.b:verb/{x}',
      "/Users('{id}')/ns.fn(a={a},b={b})",
      '/files/{path}.{ext}',
      '/search?type=code',
      '/#X-Amz-Target=Service.Action',
      '/%7Bescaped%7D',
      '/日本/{名}',
      '/~tilde/~1/~0',
      '/a b',
      '/{a}/{b}/{c}/{d}',
      '/{a}-{b}',
      '/x|y*z_`w`',
    ].map((path) => [
      path,
      {
        get: {
          operationId: 'same',
          tags: [path.length % 2 === 0 ? 'Even' : 'Odd'],
          parameters: [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => ({
            name,
            in: 'path',
            required: true,
            schema: { type: 'string' },
          })),
          responses: ok,
        },
      },
    ]),
  ),
}

/** In the style of Swagger 2.0: bodies and forms as parameters, document types, definitions. */
const swagger = {
  swagger: '2.0',
  info: { title: 'Swagger', version: 'v1.0' },
  host: 'api.example.com',
  basePath: '/api',
  schemes: ['https', 'http'],
  consumes: ['application/json', 'application/yaml'],
  produces: ['application/json'],
  securityDefinitions: { BearerToken: { type: 'apiKey', in: 'header', name: 'authorization' } },
  security: [{ BearerToken: [] }],
  paths: {
    '/apis/{group}/v1': {
      parameters: [{ name: 'group', in: 'path', type: 'string', required: true, uniqueItems: true }],
      get: {
        operationId: 'listThings',
        'x-kubernetes-action': 'list',
        parameters: [
          { $ref: '#/parameters/limit' },
          {
            name: 'fields',
            in: 'query',
            type: 'array',
            items: { type: 'string', enum: ['a', 'b'] },
            collectionFormat: 'csv',
          },
        ],
        responses: {
          200: {
            description: 'OK',
            schema: { $ref: '#/definitions/io.example.List' },
            examples: { 'application/json': { kind: 'List' } },
          },
          401: { description: 'No' },
        },
      },
      post: {
        parameters: [
          { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/io.example.JSONSchemaProps' } },
        ],
        responses: { 201: { description: 'Made' } },
      },
      put: {
        consumes: ['multipart/form-data'],
        parameters: [
          { name: 'file', in: 'formData', type: 'file', required: true },
          { name: 'note', in: 'formData', type: 'string', description: 'A *note*.' },
        ],
        responses: { 200: { description: 'OK', schema: { type: 'file' } } },
      },
    },
  },
  parameters: {
    limit: { name: 'limit', in: 'query', type: 'integer', maximum: 100, exclusiveMaximum: true, default: 10 },
  },
  definitions: {
    'io.example.List': {
      type: 'object',
      discriminator: 'kind',
      required: ['kind'],
      properties: {
        kind: { type: 'string' },
        items: { type: 'array', items: { $ref: '#/definitions/io.example.JSONSchemaProps' } },
      },
    },
    'io.example.JSONSchemaProps': {
      description: 'JSONSchemaProps is a JSON-Schema following Specification Draft 4 (http://json-schema.org/).',
      type: 'object',
      properties: Object.fromEntries(
        [
          '$ref',
          '$schema',
          'additionalItems',
          'allOf',
          'not',
          'properties',
          'default',
          'x-kubernetes-int-or-string',
        ].map((name) => [
          name,
          name === '$ref' ? { type: 'string' } : { $ref: '#/definitions/io.example.JSONSchemaProps' },
        ]),
      ),
    },
  },
}

/**
 * Handwritten YAML: keys that are numbers and words, dates, anchors, merges, folded text, comments and tabs after
 * values.
 */
const yaml = `%YAML 1.2
---
# A comment\t with a tab
openapi: 3.0.3
info:
  title: "YAML \\u00fc \\U0001F600"
  version: "1.10"
  description: >-
    Folded text
    of two lines,

    and a second paragraph: with a colon
tags:
  - &tag
    name: Pets
    description: |+
      Literal
        kept   blanks

x-anchors:
  ok: &ok
    description: Fine.	
  responses: &responses
    200: *ok
    "404": {description: None.}
    5XX: *ok
paths:
  /pets/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
    get:
      tags: [Pets]
      responses: *responses
    delete:
      tags: [Pets]
      responses:
        <<: *responses
        204: {description: 'Gone'}
components:
  schemas:
    1: {type: string}
    null: {type: string}
    on: {type: boolean, example: yes}
    Dates:
      type: object
      required: ["1", no]
      properties:
        1: {type: string, example: 2020-01-01}
        no: {type: integer, example: 0777, enum: [0o17, 1e3, 0x1F, 1_000]}
        null: {type: number, example: .inf, default: ~}
        2020-01-01: {type: string, format: date, example: 2020-01-01T00:00:00Z}
`

/** The same text with other line ends, and with the byte order mark that Windows programs add. */
const windows = `\uFEFF${yaml.replaceAll('\n', '\r\n')}`

export const oddities: Record<string, string> = {
  'unions.json': JSON.stringify(unions),
  'schemas.json': `\uFEFF${JSON.stringify(schemas31, null, 2).replaceAll('\n', '\r\n')}`,
  'paths.json': JSON.stringify(paths, null, '\t'),
  'swagger.json': JSON.stringify(swagger),
  'yaml.yaml': yaml,
  'windows.yml': windows,
}

const withSchema = (openapi: string, schema: unknown): string =>
  JSON.stringify({
    openapi,
    info: { title: 'x', version: '1' },
    paths: {},
    components: { schemas: { Anything: schema } },
  })

/** Documents that are not specifications, and the error message for each. */
export const refusedTexts: [name: string, text: string, message: RegExp][] = [
  ['tabs as indentation', 'openapi: 3.0.3\ninfo:\n\ttitle: x\n', /Line 3.*tab/is],
  ['a boolean schema before 3.1', withSchema('3.0.3', true), /Expected type `Schema` \(object\) but got `boolean`/],
  [
    'a keyword that does not exist before 3.1',
    withSchema('3.0.3', { ownKeyword: 1 }),
    /`ownKeyword` is not expected here/,
  ],
  ['a number for a schema', withSchema('3.1.0', 1), /got `(?:number|integer)`/],
  ['true for what is no schema', JSON.stringify({ ...schemas31, info: true }), /got `boolean`/],
  [
    'a version without quotes',
    'openapi: 3.0.3\ninfo: {title: a, version: 1.10}\npaths: {}\n',
    /Line 2.*`string` but got `number`.*version/s,
  ],
  ['a list as a key', 'openapi: 3.0.3\n? [a, b]\n: 1\n', /complex keys/],
  ['two documents', 'openapi: 3.0.3\n---\nopenapi: 3.0.3\n', /document/i],
  [
    'the same key twice',
    'openapi: 3.0.3\ninfo: {title: a, title: b, version: "1"}\npaths: {}\n',
    /Line 2.*duplicate/is,
  ],
]
