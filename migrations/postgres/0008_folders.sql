-- oldest writer: 5
-- The folder that each machine has of a project. projects.path is the one that was claimed last, on any machine.
CREATE TABLE project_folders (
    project TEXT COLLATE "C" NOT NULL,
    machine TEXT COLLATE "C" NOT NULL,
    path    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (project, machine)
);
