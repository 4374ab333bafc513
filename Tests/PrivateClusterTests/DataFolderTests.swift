import PrivateCluster
import Testing
