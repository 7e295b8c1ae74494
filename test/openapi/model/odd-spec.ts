/** An OpenAPI 3.2 specification with everything that is unusual but allowed, and its expected pages. */

const operation = (more: object = {}) => ({ responses: { 200: { description: 'fine' } }, ...more })

export const oddSpec = {
  openapi: '3.2.0',
  info: { title: 'Odd {{ x }} <script>', version: '1' },
  servers: [
    {
      url: 'https://{region}.example.com:{port}/v1',
      variables: { region: { default: 'eu', enum: ['eu', 'us'] }, port: { default: '443' } },
    },
  ],
  tags: [
    {
      name: 'Zoo & Friends',
      summary: 'Animals',
      description: 'All *animals*. {% include "x" %} <img src=x onerror=alert(1)>',
    },
    { name: 'a/b', kind: 'nav', parent: 'Zoo & Friends' },
    { name: 'empty' },
    { name: '日本' },
    { name: '   ' },
    { name: '../../etc' },
    { name: 'Operations' },
  ],
  paths: {
    '/animals/{id}': {
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'Which animalparameter' },
      ],
      get: operation({
        tags: ['Zoo & Friends', 'a/b'],
        operationId: 'same',
        summary: 'Get | an [animal](javascript:alert(1))',
      }),
      put: operation({
        tags: ['Zoo & Friends'],
        operationId: 'put-animal',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } } },
      }),
      query: operation({ tags: ['a/b'], summary: 'Query of 3.2' }),
      additionalOperations: { LINK: operation({ tags: ['a/b'], summary: 'Link of 3.2' }) },
    },
    '/日本/{名}': {
      get: operation({
        tags: ['日本'],
        summary: '名前',
        parameters: [{ name: '名', in: 'path', required: true, schema: { type: 'string' } }],
      }),
    },
    '/untagged': { get: operation({ summary: 'Without a tag' }), post: operation({ tags: [], deprecated: true }) },
    '/new-tag': {
      get: operation({ tags: ['Not declared'] }),
      delete: operation({ tags: ['../../etc'] }),
      head: operation({ tags: ['Operations'] }),
      trace: operation({ tags: ['   '] }),
    },
    '/stream': {
      get: operation({
        tags: ['a/b'],
        responses: {
          200: {
            summary: 'Events without a description',
            content: {
              'text/event-stream': {
                itemSchema: { $ref: '#/components/schemas/Node' },
                examples: { one: { dataValue: { sent: 'as data of 3.2' } } },
              },
            },
          },
        },
      }),
    },
  },
  webhooks: { 'new animal': { post: operation({ summary: 'An animal came' }) } },
  components: {
    schemas: {
      Node: {
        type: 'object',
        properties: {
          next: { $ref: '#/components/schemas/Node' },
          other: { $ref: '#/components/schemas/Other' },
          weird: { type: ['string', 'null'], const: '`|{% x %}' },
        },
      },
      Other: { allOf: [{ $ref: '#/components/schemas/Node' }, { not: {} }], discriminator: { propertyName: 'kind' } },
      'Odd.Name-1': { type: 'string' },
    },
  },
}

/** Pages by tag: the title, and the method and path of each operation, in order. */
export const oddPages: [string, string[]][] = [
  ['Zoo & Friends', ['GET /animals/{id}', 'PUT /animals/{id}']],
  ['a/b', ['QUERY /animals/{id}', 'LINK /animals/{id}', 'GET /stream']],
  ['日本', ['GET /日本/{名}']],
  ['../../etc', ['DELETE /new-tag']],
  ['Operations', ['HEAD /new-tag']],
  ['Not declared', ['GET /new-tag']],
  ['Operations', ['GET /untagged', 'POST /untagged', 'TRACE /new-tag']],
]
