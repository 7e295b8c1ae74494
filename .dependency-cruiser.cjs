// The import rule of ARCHITECTURE.md: main, server → api | site | jobs → domain → git | store | content | access | auth → model → kernel.
const layer = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { path: '^src/', pathNot: `^src/(${[from, ...allowed].join('|')})/` },
})
const pure = ['model', 'kernel']
const only = (name, packages, where) => ({
  name,
  severity: 'error',
  from: { path: '^src/', pathNot: where },
  to: { path: `node_modules/(${packages})(/|$)` },
})
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: { path: '^src/' }, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    layer('kernel-is-a-leaf', 'kernel', []),
    layer('model', 'model', ['kernel']),
    ...['git', 'store', 'content', 'access', 'auth', 'outbound', 'parsing'].map((name) => layer(`${name}-sees-no-sibling`, name, pure)),
    layer('domain', 'domain', ['git', 'store', 'content', 'access', 'auth', 'outbound', 'parsing', ...pure]),
    layer('jobs', 'jobs', ['domain', 'git', 'store', 'content', 'access', 'auth', 'outbound', 'parsing', ...pure]),
    layer('api', 'api', ['domain', 'git', 'store', 'content', 'access', 'auth', 'outbound', ...pure]),
    {
      name: 'deep-modules-through-their-doors',
      severity: 'error',
      from: { path: '^src/(?!git/|store/|outbound/|parsing/)' },
      to: { path: '^src/(git|store|outbound|parsing)/(?!index\\.ts$)' },
    },
    {
      name: 'pure-layers-touch-nothing',
      severity: 'error',
      from: { path: '^src/(content|access|model)/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer|path|url|path/posix)$' },
    },
    only('git-libraries-in-git', 'isomorphic-git|simple-git', '^src/git/'),
    only('lowdb-in-store', 'lowdb', '^src/store/'),
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
