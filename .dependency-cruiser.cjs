// The import rules of ARCHITECTURE.md.
// Layers: main, commands, server, start → api | jobs → domain → git | store | facts | search | specs | printing | render → content | conversion | parsing | access | auth | outbound → model → disk, kernel.
// Floors: a room of domain/ imports from the rooms before it in this list alone, types too.
const floors = [
  'context',
  'events',
  'roles',
  'accounts',
  'openapi',
  'revisions',
  'commits',
  'templates',
  'spaces',
  'search',
  'sites',
  'comments',
  'change-requests',
  'links',
  'reviews',
  'imports',
  'git-sync',
  'git-door',
  'webhooks',
  'people',
  'pdf',
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
    ...['content', 'access', 'auth', 'outbound', 'parsing', 'conversion'].map((name) => layer(`${name}-sees-no-sibling`, name, pure)),
    ...['git', 'store', 'facts', 'search', 'specs', 'printing'].map((name) => layer(`${name}-sees-no-sibling`, name, files)),
    layer('render-sees-content-alone', 'render', ['content', ...pure]),
    ...floors.map(floor),
    { name: 'every-room-of-domain-has-a-floor', severity: 'error', from: {}, to: { path: '^src/domain/', pathNot: `^src/domain/(${floors.join('|')})/` } },
    layer('domain', 'domain', ['git', 'store', 'facts', 'search', 'specs', 'content', 'render', 'printing', 'access', 'auth', 'outbound', 'parsing', 'conversion', ...pure]),
    layer('jobs', 'jobs', ['domain', 'git', 'store', 'content', 'access', 'auth', 'outbound', 'parsing', ...pure]),
    layer('api', 'api', ['domain', 'git', 'store', 'content', 'access', 'auth', 'outbound', ...pure]),
    {
      name: 'deep-modules-through-their-doors',
      severity: 'error',
      from: { path: '^src/(?!git/|store/|facts/|search/|specs/|outbound/|parsing/|printing/|conversion/)' },
      to: { path: '^src/(git|store|facts|search|specs|outbound|parsing|printing|conversion)/(?!index\\.ts$)' },
    },
    {
      name: 'pure-layers-touch-nothing',
      severity: 'error',
      from: { path: '^src/(content|render|access|model)/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer|path|url|path/posix)$' },
    },
    only('git-libraries-in-git', 'isomorphic-git|simple-git', '^src/git/'),
    only('lowdb-in-store', 'lowdb', '^src/store/'),
    only('jose-in-auth', 'jose', '^src/auth/'),
    only('libsql-in-facts-and-search', 'libsql', '^src/(facts|search)/'),
    only('openapi-library-in-specs', '@redocly', '^src/specs/'),
    only('parsers-of-markdown-in-content', 'satteri|micromark|mdast-util-from-markdown', '^src/content/'),
    only('converters-in-conversion', 'rehype-parse|rehype-remark|remark-gfm|remark-stringify|unified|unist-util-visit|linkedom|mammoth|yauzl|@mozilla|robots-parser', '^src/conversion/'),
    only('saml-libraries-in-auth', '@node-saml|@xmldom', '^src/auth/saml/'),
    only('network-clients-in-outbound', 'undici|nodemailer', '^src/outbound/'),
    only('html-in-render-and-conversion', 'hast-util-[a-z-]+', '^src/(render|conversion)/'),
    only('html-in-render', 'lowlight|highlight\\.js|temml', '^src/render/'),
    only('engine-of-pdf-in-printing', 'puppeteer-core|pdf-lib', '^src/printing/'),
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
