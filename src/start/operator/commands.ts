/**
 * The commands that work on an open installation: through the running server, or directly if no server runs. This
 * module loads with the command line, so it imports the work of a command only when that command runs.
 */
import {
  argument,
  type AnyOperatorCommand,
  flag,
  operatorCommand,
  option,
  optionOr,
  requiredOption,
} from './declaration.js'

const as = option('<email>', 'user as whom the command acts; default: the admin of the organization who joined first')
const organization = argument('ID of the organization (`bindery org list`)')
const ofOrganization = option('<id>', 'ID of an organization; default: all')
const space = argument('ID of the space (`bindery space list`)')

const status = operatorCommand({
  name: 'status',
  summary: 'show whether the server runs, what it lacks, its jobs, and connections that do not work',
  parameters: {},
  example: 'bindery status',
  needs: 'server',
  operate: async (operation) => (await import('./upkeep.js')).describeStatus(operation),
})

const user = operatorCommand({
  name: 'user',
  summary: 'confirm that an address belongs to a user, and create the account if there is none',
  parameters: {
    email: argument('address of the user'),
    name: option('<name>', 'display name of a new account'),
    free: flag(
      'confirm that the address does not belong to its current account: that account becomes a user of a single organization, without the address',
    ),
  },
  example: 'bindery user ada@example.org --name Ada',
  concerns: async (app, { email }) => (await import('./audit.js')).ofAddress(app, email),
  operate: async ({ app }, given) => (await import('./accounts.js')).confirmUser(app, given),
})

const userList = operatorCommand({
  name: 'user list',
  summary: 'list the users, or the members of an organization with their roles',
  parameters: { organization: ofOrganization },
  example: 'bindery user list',
  operate: async ({ app }, given) => (await import('./accounts.js')).listUsers(app, given.organization),
})

const token = operatorCommand({
  name: 'token',
  summary: 'create a token for a user',
  parameters: {
    email: argument('address of the user'),
    label: optionOr('<label>', 'Command line', 'label of the token'),
    claimedIn: option(
      '<organization>',
      'ID of an organization: creates the token for the member there who has not verified the address',
    ),
  },
  example: 'bindery token ada@example.org',
  concerns: async (app, { email, claimedIn }) => (await import('./audit.js')).ofAddress(app, email, claimedIn),
  operate: async ({ app }, given) => (await import('./accounts.js')).makeToken(app, given),
})

const tokenList = operatorCommand({
  name: 'token list',
  summary: 'list the tokens of a user, without their secrets',
  parameters: { email: argument('address of the user') },
  example: 'bindery token list ada@example.org',
  operate: async ({ app }, { email }) => (await import('./accounts.js')).listTokensOf(app, email),
})

const tokenRevoke = operatorCommand({
  name: 'token revoke',
  summary: 'revoke a token',
  parameters: { token: argument('ID of the token (`bindery token list`)') },
  example: 'bindery token revoke 5m9v3nZkqTfH0Wc1',
  concerns: async (app, given) => (await import('./audit.js')).ofToken(app, given.token),
  operate: async ({ app }, given) => (await import('./accounts.js')).revoke(app, given.token),
})

const orgList = operatorCommand({
  name: 'org list',
  summary: 'list the organizations',
  parameters: {},
  example: 'bindery org list',
  operate: async ({ app }) => (await import('./spaces.js')).listAllOrganizations(app),
})

const orgCreate = operatorCommand({
  name: 'org create',
  summary: 'create an organization',
  parameters: {
    title: argument('title of the organization'),
    admin: requiredOption('<email>', 'address of the account that becomes its admin'),
  },
  example: "bindery org create 'Acme' --admin ada@example.org",
  concerns: async (_, __, outcome) => (await import('./audit.js')).ofCreated(outcome),
  operate: async ({ app }, { title, admin }) => (await import('./spaces.js')).makeOrganization(app, title, admin),
})

const orgMember = operatorCommand({
  name: 'org member',
  summary: 'add a user to an organization, change their role, or remove them',
  parameters: {
    organization,
    email: argument('address of the account'),
    role: requiredOption(
      '<role>',
      '`read`, `comment`, `edit`, `review`, `create`, `admin`, `guest`, or `none` to remove the member',
    ),
  },
  example: 'bindery org member 5m9v3nZkqTfH0Wc1 ada@example.org --role edit',
  concerns: async (app, given) => {
    const { ofAddress, ofMember } = await import('./audit.js')
    return ofMember(given.organization, await ofAddress(app, given.email))
  },
  operate: async ({ app }, given) => (await import('./spaces.js')).setMember(app, given),
})

const limit = (of: string) =>
  option('<number>', `maximum number of ${of}; \`none\` = no limit, \`default\` = that of the settings`)

const orgQuota = operatorCommand({
  name: 'org quota',
  summary: 'show what an organization uses and may use, and set its limits',
  parameters: {
    organization,
    spaces: limit('spaces'),
    members: limit('members'),
    files: limit('files in the main content of all spaces'),
    bytes: limit('bytes of repositories and Git LFS files'),
  },
  example: 'bindery org quota 5m9v3nZkqTfH0Wc1 --spaces 50 --bytes 10000000000',
  concerns: async (_, given) => {
    const { NONE } = await import('./audit.js')
    const { changesQuotas } = await import('./quotas.js')
    const { organization } = given
    return changesQuotas(given) ? { organizations: [organization], resources: { organization } } : NONE
  },
  operate: async ({ app }, given) => (await import('./quotas.js')).setQuotas(app, given),
})

const spaceList = operatorCommand({
  name: 'space list',
  summary: 'list the spaces, including deleted ones that can be restored',
  parameters: { organization: ofOrganization },
  example: 'bindery space list',
  operate: async ({ app }, given) => (await import('./spaces.js')).listAllSpaces(app, given.organization),
})

const spaceCreate = operatorCommand({
  name: 'space create',
  summary: 'create a space, and print its ID',
  parameters: {
    organization,
    title: argument('title of the space'),
    template: option('<id>', 'ID of a template for its content'),
    as,
  },
  example: "bindery space create 5m9v3nZkqTfH0Wc1 'Handbook'",
  concerns: async (app, given, outcome) => (await import('./audit.js')).ofNewSpace(app, given.organization, outcome),
  operate: async ({ app }, given) => (await import('./spaces.js')).makeSpace(app, given),
})

const spaceDelete = operatorCommand({
  name: 'space delete',
  summary: 'delete a space; it can be restored for seven days',
  parameters: { space, as },
  example: 'bindery space delete 8kPq2xYw7LrD4Jt9',
  concerns: async (app, given) => (await import('./audit.js')).ofSpace(app, given.space),
  operate: async ({ app }, given) => (await import('./spaces.js')).dropSpace(app, given.space, given.as),
})

const spaceRestore = operatorCommand({
  name: 'space restore',
  summary: 'restore a deleted space',
  parameters: { space, as },
  example: 'bindery space restore 8kPq2xYw7LrD4Jt9',
  concerns: async (app, given) => (await import('./audit.js')).ofSpace(app, given.space),
  operate: async ({ app }, given) => (await import('./spaces.js')).returnSpace(app, given.space, given.as),
})

const connectionList = operatorCommand({
  name: 'connection list',
  summary: 'list the connections of spaces to repositories, with their failures',
  parameters: {},
  example: 'bindery connection list',
  operate: async ({ app }) => (await import('./spaces.js')).listAllConnections(app),
})

const remote = {
  space,
  url: argument('URL of the repository, with a token if it needs one; `-` reads it from standard input'),
  branch: optionOr('<name>', 'main', 'branch of the repository'),
  folder: option('<path>', 'folder of the documentation in a monorepo'),
}

const importCommand = operatorCommand({
  name: 'import',
  summary: 'import a branch of a repository into a space, and wait for the end',
  parameters: { ...remote, force: flag('replace the content of the space with that of the branch'), as },
  example: 'bindery import 8kPq2xYw7LrD4Jt9 https://github.com/acme/docs',
  concerns: async (app, given) => (await import('./audit.js')).ofSpace(app, given.space),
  needs: 'jobs',
  operate: async (operation, given) => (await import('./sync.js')).importInto(operation, given),
})

const exportCommand = operatorCommand({
  name: 'export',
  summary: 'export the content of a space to a branch of a repository, and wait for the end',
  parameters: {
    ...remote,
    message: optionOr('<text>', 'Export from Bindery', 'message of the commit'),
    force: flag('put the content on top of the branch, even if the branch has other changes'),
    as,
  },
  example: 'bindery export 8kPq2xYw7LrD4Jt9 - < url-with-token',
  concerns: async (app, given) => (await import('./audit.js')).ofSpace(app, given.space),
  needs: 'jobs',
  operate: async (operation, given) => (await import('./sync.js')).exportFrom(operation, given),
})

const fsck = operatorCommand({
  name: 'fsck',
  summary: 'check the documents against Git, and every repository',
  parameters: {
    deep: flag('also read everything with another implementation of Git, and compare'),
    repair: flag(
      'replace damaged files of documents by what is readable of them; only while the server is stopped, and only if there is no backup',
    ),
  },
  example: 'bindery fsck --deep',
  concerns: async (app, { repair }) => {
    const { NONE, ofAll } = await import('./audit.js')
    return repair ? ofAll(app) : NONE
  },
  operate: async (operation, given) => (await import('./upkeep.js')).check(operation, given),
})

const gc = operatorCommand({
  name: 'gc',
  summary: 'pack the repositories and remove expired data now; the server does so daily',
  parameters: {},
  example: 'bindery gc',
  concerns: async (app) => (await import('./audit.js')).ofAll(app),
  operate: async (operation) => (await import('./upkeep.js')).collectGarbage(operation),
})

export const operatorCommands: readonly AnyOperatorCommand[] = [
  status,
  user,
  userList,
  token,
  tokenList,
  tokenRevoke,
  orgList,
  orgCreate,
  orgMember,
  orgQuota,
  spaceList,
  spaceCreate,
  spaceDelete,
  spaceRestore,
  connectionList,
  importCommand,
  exportCommand,
  fsck,
  gc,
]
