// The import rules of ARCHITECTURE.md.
// Layers: main, commands, server, start → api | jobs → domain → git | store | content | parsing | access | auth | outbound → model → disk, kernel.
// Floors: a room of domain/ imports from the rooms before it in this list alone, types too.
const floors = [
  'context',
  'events',
  'roles',
  'accounts',
  'revisions',
  'commits',
  'spaces',
  'sites',
  'comments',
  'change-requests',
  'reviews',
  'git-sync',
  'webhooks',
  'people',
  'upkeep',
]
const floor = (room, n) => ({
  name: `floors-of-domain: ${room}`,
  severity: 'error',
  from: { path: `^src/domain/${room}/` },
  to: { path: '^src/domain/', pathNot: `^src/domain/(${floors.slice(0, n + 1).join('|')})/` },
})
const layer = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { path: '^src/', pathNot: `^src/(${[from, ...allowed].join('|')})/` },
})
const pure = ['model', 'kernel']
const files = [...pure, 'disk']
const only = (name, packages, where) => ({
  name,
  severity: 'error',
  from: { path: '^src/', pathNot: where },
  to: { path: `node_modules/(${packages})(/|$)` },
})
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
    layer('kernel-is-a-leaf', 'kernel', []),
    layer('disk-is-a-leaf', 'disk', ['kernel']),
    layer('model', 'model', ['kernel']),
    ...['content', 'access', 'auth', 'outbound', 'parsing'].map((name) => layer(`${name}-sees-no-sibling`, name, pure)),
    ...['git', 'store', 'facts'].map((name) => layer(`${name}-sees-no-sibling`, name, files)),
    ...floors.map(floor),
    { name: 'every-room-of-domain-has-a-floor', severity: 'error', from: {}, to: { path: '^src/domain/', pathNot: `^src/domain/(${floors.join('|')})/` } },
    layer('domain', 'domain', ['git', 'store', 'facts', 'content', 'access', 'auth', 'outbound', 'parsing', ...pure]),
    layer('jobs', 'jobs', ['domain', 'git', 'store', 'content', 'access', 'auth', 'outbound', 'parsing', ...pure]),
    layer('api', 'api', ['domain', 'git', 'store', 'content', 'access', 'auth', 'outbound', ...pure]),
    {
      name: 'deep-modules-through-their-doors',
      severity: 'error',
      from: { path: '^src/(?!git/|store/|facts/|outbound/|parsing/)' },
      to: { path: '^src/(git|store|facts|outbound|parsing)/(?!index\\.ts$)' },
    },
    {
      name: 'pure-layers-touch-nothing',
      severity: 'error',
      from: { path: '^src/(content|access|model)/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer|path|url|path/posix)$' },
    },
    only('git-libraries-in-git', 'isomorphic-git|simple-git', '^src/git/'),
    only('lowdb-in-store', 'lowdb', '^src/store/'),
    only('libsql-in-facts', 'libsql', '^src/facts/'),
    only('parsers-of-markdown-in-content', 'satteri|micromark|mdast-util-from-markdown', '^src/content/'),
    only('network-clients-in-outbound', 'undici|nodemailer', '^src/outbound/'),
    only('koa-in-the-pipeline', 'koa|@koa', '^src/(api/pipeline|api/pages|site)|^src/server\\.ts$'),
    only('ajv-in-pipeline-and-kernel', 'ajv', '^src/(api/pipeline|kernel)'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
}
