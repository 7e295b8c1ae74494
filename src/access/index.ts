export { allows, type Permission, policy, presentCollectionPermissions, presentOrganizationPermissions, presentSpacePermissions } from './policy.js'
export { atLeast, type ChainLink, effectiveRole, greater, rank } from './roles.js'
