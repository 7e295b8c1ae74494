// The entry point of access/: roles and their permissions.
export {
  allows,
  type Caller,
  isPermission,
  mayNow,
  type Permission,
  policy,
  presentOrganizationPermissions,
  presentSpacePermissions,
  presentTeamPermissions,
  presentCollectionPermissions,
  presentSitePermissions,
  mayResolve,
  presentCommentPermissions,
} from './policy.js'
export { atLeast, type ChainLink, effectiveRole, greater, rank } from './roles.js'
export {
  gateFor,
  mayEnter,
  mayVisitorSee,
  visibleTo,
  type VisitorContext,
  type VisitorPage,
  type VisitorUse,
} from './visitor-gate.js'
