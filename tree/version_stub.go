package tree

const VersionType = "Version"
